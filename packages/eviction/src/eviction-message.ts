import type { Pod } from '@rxlet/kube-api';
import { compareQuantities, formatQuantity, type ParsedQuantity } from '@rxlet/pod-model/quantity';
import { evictionQuantity } from '@rxlet/pod-model/eviction-thresholds';
import type { ContainerUse, PodUse } from './node-summary.ts';
import type { Observations } from './observations.ts';
import type { Threshold } from './parse-thresholds.ts';
import { bytes, quantityOf } from './pod-usage.ts';
import { resourceOf, type StarvedResource } from './signals.ts';

/** Why a pod is evicted: the message of its status, and the annotations of the event. */
export interface EvictionReason {
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns why a pod is evicted for a resource: what the node is short of, and what of the pod uses more than it requests. */
export function evictionReason(
  resource: StarvedResource,
  pod: Pod,
  use: PodUse | undefined,
  thresholds: readonly Threshold[],
  observations: Observations,
): EvictionReason {
  const low = `The node was low on resource: ${resource}. ${describeThreshold(resource, thresholds, observations)}`;
  if (use === undefined) return { message: low, annotations: {} };
  const ofPod = podConsumption(resource, pod, use);
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const offenders = (use.containers ?? []).flatMap((containerUse) => {
    const container = containers.find(({ name }) => name === containerUse.name);
    const used = container && containerUsage(resource, containerUse);
    const request = quantityOf(container?.resources?.requests?.[resource]);
    if (used === undefined || compareQuantities(used, request) <= 0) return [];
    return [{ name: containerUse.name, usage: formatQuantity(used), request: formatQuantity(request) }];
  });
  const sentences = [
    ...(ofPod === undefined ? [] : [describeConsumption('Pod', ofPod, resource)]),
    ...offenders.map((offender) => describeConsumption('Container', offender, resource)),
  ];
  return {
    message: low + sentences.join(''),
    annotations: {
      ...(ofPod !== undefined && { offending_pod: ofPod.name, offending_pod_usage: ofPod.usage }),
      offending_containers: offenders.map(({ name }) => name).join(','),
      offending_containers_usage: offenders.map(({ usage }) => usage).join(','),
      starved_resource: resource,
    },
  };
}

interface Consumption {
  readonly name: string;
  readonly usage: string;
  readonly request: string;
}

function describeConsumption(
  subject: string,
  { name, usage, request }: Consumption,
  resource: StarvedResource,
): string {
  return `${subject} ${name} was using ${usage}, request is ${request}, has larger consumption of ${resource}. `;
}

function describeThreshold(
  resource: StarvedResource,
  thresholds: readonly Threshold[],
  observations: Observations,
): string {
  for (const { signal, value } of thresholds) {
    const observed = observations.get(signal);
    if (resourceOf(signal) !== resource || observed === undefined) continue;
    const limit = formatQuantity(evictionQuantity(value, observed.capacity));
    return `Threshold quantity: ${limit}, available: ${formatQuantity(observed.available)}. `;
  }
  return '';
}

/** Returns the memory of a pod that requests some for itself as a whole. */
function podConsumption(resource: StarvedResource, pod: Pod, { memory }: PodUse): Consumption | undefined {
  const request = pod.spec?.resources?.requests?.[resource];
  if (resource !== 'memory' || request === undefined || memory === undefined) return undefined;
  return {
    name: pod.metadata?.name ?? '',
    usage: formatQuantity(bytes(memory.workingSetBytes ?? 0)),
    request: formatQuantity(quantityOf(request)),
  };
}

function containerUsage(resource: StarvedResource, { memory, rootfs, logs }: ContainerUse): ParsedQuantity | undefined {
  if (resource === 'memory') return memory?.workingSetBytes === undefined ? undefined : bytes(memory.workingSetBytes);
  if (resource !== 'ephemeral-storage' || rootfs?.usedBytes === undefined || logs?.usedBytes === undefined)
    return undefined;
  return bytes(rootfs.usedBytes + logs.usedBytes);
}
