import type { ObjectFieldSelector, ResourceFieldSelector } from '@rxlet/kube-api';
import { checkQualifiedName } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

/** Fields of a pod that can be referenced, and the uses of each. */
const fields: ReadonlyMap<string, readonly ('env' | 'volume')[]> = new Map([
  ['metadata.name', ['env', 'volume']],
  ['metadata.namespace', ['env', 'volume']],
  ['metadata.uid', ['env', 'volume']],
  ['metadata.labels', ['volume']],
  ['metadata.annotations', ['volume']],
  ['spec.nodeName', ['env']],
  ['spec.host', ['env']],
  ['spec.serviceAccountName', ['env']],
  ['spec.restartPolicy', []],
  ['spec.schedulerName', []],
  ['status.phase', []],
  ['status.hostIP', ['env']],
  ['status.hostIPs', ['env']],
  ['status.podIP', ['env']],
  ['status.podIPs', ['env']],
]);

const resources = ['limits', 'requests'].flatMap((side) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${side}.${name}`),
);
const cpuDivisors = ['0', '1m', '1'];
const memoryDivisors = ['0', '1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Checks a reference to a field of the pod itself. */
export function validateFieldRef(ref: ObjectFieldSelector, use: 'env' | 'volume', at: string, report: Report): void {
  const { apiVersion, fieldPath } = ref;
  if (!apiVersion) return report.required(`${at}.apiVersion`);
  if (!fieldPath) return report.required(`${at}.fieldPath`);
  const subscripted = /^(.*)\['(.*)'\]$/s.exec(fieldPath);
  const [, path, key] = subscripted ?? [undefined, fieldPath];
  const known =
    key === undefined ? fields.has(fieldPath) : path === 'metadata.labels' || path === 'metadata.annotations';
  if (apiVersion !== 'v1' || !known)
    return report.add(`${at}.fieldPath`, `${JSON.stringify(fieldPath)} is no field of a v1 Pod that can be used here`);
  if (key !== undefined)
    return report.check(at, checkQualifiedName(path === 'metadata.annotations' ? key.toLowerCase() : key));
  const usable = [...fields].filter(([, uses]) => uses.includes(use)).map(([name]) => name);
  report.oneOf(`${at}.fieldPath`, fieldPath, usable);
}

/** Checks a reference to the resources of a container. A volume must name the container. */
export function validateResourceFieldRef(
  { containerName, resource = '', divisor = '0' }: ResourceFieldSelector,
  use: 'env' | 'volume',
  at: string,
  report: Report,
): void {
  const hugepages = /^(?:limits|requests)\.hugepages-/.test(resource);
  if (use === 'volume' && !containerName) report.required(`${at}.containerName`);
  else if (resource === '') report.required(`${at}.resource`);
  else if (!hugepages) report.oneOf(`${at}.resource`, resource, resources);
  if (!hugepages && !resources.includes(resource)) return;
  report.oneOf(`${at}.divisor`, String(divisor), resource.endsWith('.cpu') ? cpuDivisors : memoryDivisors);
}
