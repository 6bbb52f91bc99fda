import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { isSidecar } from './containers.ts';
import { isNodeCriticalPod } from './pod-kind.ts';
import { hasPodLevelRequests, podRequests } from './pod-resources.ts';
import {
  addQuantities,
  compareQuantities,
  type ParsedQuantity,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from './quantity.ts';

/** How readily a pod is evicted or killed for lack of memory: BestEffort first, Guaranteed last. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const qosResources = ['cpu', 'memory'] as const;
type QosAmounts = Partial<Record<(typeof qosResources)[number], ParsedQuantity>>;

/**
 * The pod's QoS class: the one in its status, or else computed from CPU and memory of its init and regular containers, or of the pod as a whole
 * where it has resources of its own (KEP-2837). Zero counts as not set.
 */
export function podQosClass(pod: Pod): QosClass {
  return pod.status?.qosClass ?? computeQosClass(pod);
}

function computeQosClass(pod: Pod): QosClass {
  const requests: QosAmounts = {};
  const limits: QosAmounts = {};
  let everyLimitSet = true;
  if (pod.spec?.resources !== undefined) {
    addPositive(requests, pod.spec.resources.requests);
    const found = addPositive(limits, pod.spec.resources.limits);
    if (Object.keys(pod.spec.resources.limits ?? {}).length > 0) everyLimitSet = found === qosResources.length;
  } else {
    for (const container of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
      addPositive(requests, container.resources?.requests);
      const found = addPositive(limits, container.resources?.limits);
      if (found < qosResources.length) everyLimitSet = false;
    }
  }
  const anyRequest = qosResources.some((name) => requests[name] !== undefined);
  const anyLimit = qosResources.some((name) => limits[name] !== undefined);
  if (!anyRequest && !anyLimit) return 'BestEffort';
  return everyLimitSet && qosResources.every((name) => sameAmount(requests[name], limits[name]))
    ? 'Guaranteed'
    : 'Burstable';
}

/** Adds CPU and memory where positive; says how many of the two were. */
function addPositive(amounts: QosAmounts, list: ResourceRequirements['requests']): number {
  let found = 0;
  for (const name of qosResources) {
    const text = list?.[name];
    if (text === undefined) continue;
    const quantity = parseQuantity(text);
    if (compareQuantities(quantity, zeroQuantity) <= 0) continue;
    const sum = amounts[name];
    amounts[name] = sum === undefined ? quantity : addQuantities(sum, quantity);
    found++;
  }
  return found;
}

function sameAmount(a: ParsedQuantity | undefined, b: ParsedQuantity | undefined): boolean {
  return a === undefined || b === undefined ? a === b : compareQuantities(a, b) === 0;
}

/** Above the node's own daemons, below everything else. */
const PROTECTED_SCORE = -997;
const BEST_EFFORT_SCORE = 1000;

/**
 * The container's `oom_score_adj`: the kernel kills the highest first. Burstable containers score the lower the more of the node's memory they
 * request; a sidecar never scores higher than the regular containers it serves.
 *
 * @param memoryCapacityBytes memory of the node, more than 0
 */
export function oomScoreAdj(pod: Pod, container: Container, memoryCapacityBytes: number | bigint): number {
  if (isNodeCriticalPod(pod)) return PROTECTED_SCORE;
  const qos = podQosClass(pod);
  if (qos === 'Guaranteed') return PROTECTED_SCORE;
  if (qos === 'BestEffort') return BEST_EFFORT_SCORE;

  const capacity = BigInt(memoryCapacityBytes);
  const share = hasPodLevelRequests(pod) ? unassignedMemoryShare(pod) : 0n;
  const scoreOf = (memoryBytes: bigint): number =>
    BEST_EFFORT_SCORE - Number((1000n * (memoryBytes + share)) / capacity);

  let score = scoreOf(memoryRequest(container));
  if (isSidecarOf(pod, container)) {
    const regularScores = (pod.spec?.containers ?? []).map((regular) => scoreOf(memoryRequest(regular)));
    score = Math.min(score, Math.max(...regularScores));
  }
  // Burstable stays between Guaranteed and BestEffort.
  return Math.min(Math.max(score, BEST_EFFORT_SCORE + PROTECTED_SCORE), BEST_EFFORT_SCORE - 1);
}

function memoryRequest(container: Container): bigint {
  const request = container.resources?.requests?.['memory'];
  return request === undefined ? 0n : quantityValue(parseQuantity(request));
}

/** What the pod requests as a whole beyond its containers, divided among them. */
function unassignedMemoryShare(pod: Pod): bigint {
  const request = pod.spec?.resources?.requests?.['memory'];
  if (request === undefined) return 0n;
  const ofPod = quantityValue(parseQuantity(request));
  if (ofPod === 0n) return 0n;
  const containers = podRequests(pod, { skipPodLevelResources: true, excludeOverhead: true })['memory'];
  const count = (pod.spec?.containers.length ?? 0) + (pod.spec?.initContainers?.length ?? 0);
  return (ofPod - (containers === undefined ? 0n : quantityValue(containers))) / BigInt(count);
}

function isSidecarOf(pod: Pod, container: Container): boolean {
  return pod.spec?.initContainers?.some((init) => init.name === container.name && isSidecar(init)) === true;
}
