import type { Container, Pod, PodSpec, ResourceRequirements } from '@rxlet/kube-api';
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

/** Quality of service. Under memory pressure BestEffort pods are evicted or killed first, Guaranteed ones last. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const qosResources = ['cpu', 'memory'] as const;
type QosAmounts = Partial<Record<(typeof qosResources)[number], ParsedQuantity>>;

/**
 * Returns the pod's QoS class: that of its status, or else computed from CPU and memory of its init and regular containers, or from pod-level resources
 * (KEP-2837). Zero counts as not set.
 */
export function podQosClass(pod: Pod): QosClass {
  return pod.status?.qosClass ?? (pod.spec === undefined ? 'BestEffort' : qosClassOf(pod.spec));
}

/** Computed classes: each container of a pod needs that of the pod, which may have thousands. */
const computed = new WeakMap<PodSpec, QosClass>();

function qosClassOf(spec: PodSpec): QosClass {
  const known = computed.get(spec);
  if (known !== undefined) return known;
  const found = computeQosClass(spec);
  computed.set(spec, found);
  return found;
}

function computeQosClass(spec: PodSpec): QosClass {
  const requests: QosAmounts = {};
  const limits: QosAmounts = {};
  let everyLimitSet = true;
  if (spec.resources !== undefined) {
    addPositive(requests, spec.resources.requests);
    const found = addPositive(limits, spec.resources.limits);
    if (Object.keys(spec.resources.limits ?? {}).length > 0) everyLimitSet = found === qosResources.length;
  } else {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
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

/** Adds positive amounts of CPU and memory. Returns the number of positive amounts. */
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

/** Score of node-critical and Guaranteed pods: above the node's daemons, below other processes. */
const PROTECTED_SCORE = -997;
const BEST_EFFORT_SCORE = 1000;

/**
 * Returns the container's `oom_score_adj`; the kernel kills the highest first. The score of a Burstable container decreases with the share of the node's memory
 * that it requests. A sidecar's score is never higher than those of the regular containers.
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
  // A Burstable score is strictly between those of Guaranteed and BestEffort.
  return Math.min(Math.max(score, BEST_EFFORT_SCORE + PROTECTED_SCORE), BEST_EFFORT_SCORE - 1);
}

function memoryRequest(container: Container): bigint {
  const request = container.resources?.requests?.['memory'];
  return request === undefined ? 0n : quantityValue(parseQuantity(request));
}

/** Returns an equal share of the pod-level memory request that exceeds the containers' requests. */
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
