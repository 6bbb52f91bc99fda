import type { PodSpec, ResourceRequirements } from '@rxlet/kube-api';
import {
  compareQuantities,
  makeQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from '@rxlet/pod-model/quantity';
import { isPodLevelResource, podRequests } from '@rxlet/pod-model/resources';
import { checkQualifiedName } from '@rxlet/pod-model/validation';
import type { Report } from '@rxlet/pod-model/validation';

/** Resource names without a domain that exist at all, in quotas for instance. */
const standardResources = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'storage', 'pods', 'services', 'replicationcontrollers', 'resourcequotas'],
  ...[
    'secrets',
    'configmaps',
    'persistentvolumeclaims',
    'services.nodeports',
    'services.loadbalancers',
    'requests.storage',
  ],
  ...['requests', 'limits'].flatMap((side) => ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${side}.${name}`)),
]);

/** Kind of the resources' owner, which decides on the allowed names. */
export type ResourceOwner = 'container' | 'pod';

/** Checks requests and limits, and that they fit each other. */
export function validateResources(
  resources: ResourceRequirements,
  owner: ResourceOwner,
  at: string,
  report: Report,
): void {
  const { requests = {}, limits = {} } = resources;
  for (const [name, quantity] of Object.entries(limits))
    validateAmount(name, quantity, owner, `${at}.limits[${name}]`, report);
  for (const [name, quantity] of Object.entries(requests)) {
    validateAmount(name, quantity, owner, `${at}.requests[${name}]`, report);
    const limit = limits[name];
    const mayExceed = isNative(name) && !isHugepages(name);
    if (limit === undefined) {
      if (!mayExceed) report.required(`${at}.limits`, `must be set for ${name}, which cannot be overcommitted`);
      continue;
    }
    const order = compareQuantities(parseQuantity(quantity), parseQuantity(limit));
    if (order !== 0 && !mayExceed)
      report.add(`${at}.requests`, `${name} ${String(quantity)} is not equal to its limit of ${String(limit)}`);
    else if (order > 0)
      report.add(`${at}.requests`, `${name} ${String(quantity)} is more than its limit of ${String(limit)}`);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugepages) && !names.includes('cpu') && !names.includes('memory')) {
    report.forbidden(at, 'hugepages need cpu or memory beside them');
  }
}

/** Checks the resources of the pod as a whole (KEP-2837) against those of its containers. */
export function validatePodLevelResources(spec: PodSpec, at: string, report: Report): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (resources.claims?.length) report.forbidden(`${at}.claims`, 'are not possible for the pod as a whole');
  validateResources(resources, 'pod', at, report);
  const total = podRequests({ spec }, { excludeOverhead: true, skipPodLevelResources: true });
  for (const [name, sum] of Object.entries(total)) {
    const request = resources.requests?.[name];
    if (request !== undefined && compareQuantities(sum, parseQuantity(request)) > 0) {
      report.add(`${at}.requests[${name}]`, `${String(request)} is less than what the containers request together`);
    }
  }
  spec.containers.forEach((container, index) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const podLimit = resources.limits?.[name];
      if (podLimit !== undefined && compareQuantities(parseQuantity(limit), parseQuantity(podLimit)) > 0) {
        report.add(
          `${at}.containers[${String(index)}][${name}].limits`,
          `${String(limit)} is more than the limit of the pod, ${String(podLimit)}`,
        );
      }
    }
  });
}

function validateAmount(name: string, amount: string | number, owner: ResourceOwner, at: string, report: Report): void {
  validateName(name, owner, at, report);
  const quantity = parseQuantity(amount);
  if (compareQuantities(quantity, makeQuantity(0)) < 0) report.add(at, `${String(amount)} is negative`);
  if (isExtended(name) && quantityMilliValue(quantity) % 1000n !== 0n)
    report.add(at, `${String(amount)} is not an integer`);
  const pageBytes = isHugepages(name) && isQuantity(name.slice('hugepages-'.length));
  if (pageBytes && quantityValue(quantity) % quantityValue(pageBytes) !== 0n) {
    report.add(at, `${String(amount)} is not a multiple of the page size`);
  }
}

function validateName(name: string, owner: ResourceOwner, at: string, report: Report): void {
  const wrong = checkQualifiedName(name);
  report.check(at, wrong);
  if (wrong.length > 0) return;
  if (owner === 'pod') {
    if (!isPodLevelResource(name)) report.add(at, `${JSON.stringify(name)} is not one of cpu, memory, hugepages-*`);
    return;
  }
  if (name.includes('/')) {
    if (!isNative(name) && !isExtended(name))
      report.add(at, `${JSON.stringify(name)} is no name of an extended resource`);
    return;
  }
  if (!standardResources.has(name) && !isHugepages(name)) {
    report.add(at, `${JSON.stringify(name)} is neither a standard resource nor one with a domain`);
  }
  if (!['cpu', 'memory', 'ephemeral-storage'].includes(name) && !isHugepages(name)) {
    report.add(at, `${JSON.stringify(name)} is no resource of containers`);
  }
}

function isHugepages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0;
}

function isQuantity(text: string): ReturnType<typeof parseQuantity> | false {
  try {
    const quantity = parseQuantity(text);
    return quantityValue(quantity) > 0n && quantity;
  } catch {
    return false;
  }
}
