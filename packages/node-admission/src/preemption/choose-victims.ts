import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import { isCriticalPod, podQosClass } from '@rxlet/pod-model';
import {
  addQuantities,
  isZeroQuantity,
  type ParsedQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import { hasPodLevelResources, podRequests } from '@rxlet/pod-model/resources';

/** An amount of a resource that must become free: CPU in thousandths, everything else in units of the resource. */
export interface ResourceNeed {
  readonly resource: string;
  readonly amount: bigint;
}

/** No set of pods can be preempted that would free the resources. */
export class PreemptionError extends Error {
  override readonly name = 'PreemptionError';
}

/**
 * Chooses the pods to preempt for a critical pod: as few and as small ones as possible, and BestEffort rather than Burstable rather than Guaranteed ones. The
 * victims are in the order in which they must be killed.
 *
 * @throws PreemptionError when all pods together do not free enough
 */
export function chooseVictims(preemptor: Pod, pods: readonly Pod[], needs: readonly ResourceNeed[]): readonly Pod[] {
  const preemptable = pods.filter((pod) => isPreemptable(preemptor, pod));
  const ofClass = (qosClass: string): readonly Pod[] => preemptable.filter((pod) => podQosClass(pod) === qosClass);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const missing = remainingNeeds(needs, preemptable);
  if (missing.length > 0) throw notEnough(missing);
  // Each class gives only what all lower classes together cannot.
  const fromGuaranteed = chooseNearest(guaranteed, remainingNeeds(needs, [...bestEffort, ...burstable]));
  const fromBurstable = chooseNearest(burstable, remainingNeeds(needs, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = chooseNearest(bestEffort, remainingNeeds(needs, [...fromBurstable, ...fromGuaranteed]));
  return [...fromBestEffort, ...fromBurstable, ...fromGuaranteed];
}

/** Reports whether a pod may be killed in favour of another one (kubelet: Preemptable). */
function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(pod)) return true;
  const own = preemptor.spec?.priority;
  const other = pod.spec?.priority;
  return own !== undefined && other !== undefined && own > other;
}

/** Chooses the pod that comes nearest to the needs until they are met. Of equally near ones the smaller, and then the later, is chosen. */
function chooseNearest(pods: readonly Pod[], needs: readonly ResourceNeed[]): readonly Pod[] {
  const left = [...pods];
  const chosen: Pod[] = [];
  let remaining = needs;
  while (remaining.length > 0) {
    let best = 0;
    let bestDistance = Infinity;
    left.forEach((pod, index) => {
      const distance = distanceTo(remaining, pod);
      const isNearer = distance < bestDistance;
      if (!isNearer && (distance !== bestDistance || !isAtMostAsLarge(pod, left[best]!))) return;
      bestDistance = distance;
      best = index;
    });
    const victim = left[best];
    if (victim === undefined) throw notEnough(remaining);
    remaining = remainingNeeds(remaining, [victim]);
    chosen.push(victim);
    // The last pod takes the place of the chosen one, as in the kubelet: it decides between equals.
    left[best] = left.at(-1)!;
    left.pop();
  }
  return chosen;
}

function remainingNeeds(needs: readonly ResourceNeed[], pods: readonly Pod[]): readonly ResourceNeed[] {
  return needs
    .map(({ resource, amount }) => ({
      resource,
      amount: pods.reduce((missing, pod) => (missing <= 0n ? missing : missing - requestOf(pod, resource)), amount),
    }))
    .filter(({ amount }) => amount > 0n);
}

function distanceTo(needs: readonly ResourceNeed[], pod: Pod): number {
  return needs.reduce((sum, { resource, amount }) => {
    const missing = Number(amount - requestOf(pod, resource));
    return missing > 0 ? sum + (missing / Number(amount)) ** 2 : sum;
  }, 0);
}

function isAtMostAsLarge(pod: Pod, other: Pod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const own = requestOf(pod, resource);
    const others = requestOf(other, resource);
    if (own !== others) return own < others;
  }
  return true;
}

/**
 * Returns what a pod frees. As in the kubelet, pod-level resources replace those of the containers altogether, and overhead is added to what is not zero.
 */
function requestOf(pod: Pod, resource: string): bigint {
  if (resource === 'pods') return 1n;
  const { resources, overhead } = pod.spec ?? {};
  const ofContainers = (): ParsedQuantity => podRequests(pod, { excludeOverhead: true })[resource] ?? zeroQuantity;
  let amount = hasPodLevelResources(pod) ? amountIn(resources?.requests, resource) : ofContainers();
  if (!isZeroQuantity(amount)) amount = addQuantities(amount, amountIn(overhead, resource));
  return resource === 'cpu' ? quantityMilliValue(amount) : quantityValue(amount);
}

function amountIn(list: ResourceRequirements['requests'], resource: string): ParsedQuantity {
  const text = list?.[resource];
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

function notEnough(needs: readonly ResourceNeed[]): PreemptionError {
  const list = needs.map(({ resource, amount }) => `(res: ${resource}, q: ${String(amount)}), `).join('');
  return new PreemptionError(`no set of running pods found to reclaim resources: [${list}]`);
}
