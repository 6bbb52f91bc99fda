import type { AdmissionRejection } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { type ParsedQuantity, parseQuantity, quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';

/** Policies under which the resources of Guaranteed pods cannot change. */
export interface ResizePolicies {
  /** KubeletConfiguration `cpuManagerPolicy`. Default `none`. */
  readonly cpuManagerPolicy?: string | undefined;
  /** KubeletConfiguration `memoryManagerPolicy`. Default `None`. */
  readonly memoryManagerPolicy?: string | undefined;
}

/** Returns why a resize can never be put into effect on this node; `undefined` when it may. */
export function infeasibleCause(
  desired: Pod,
  allocated: Pod,
  { cpuManagerPolicy = 'none', memoryManagerPolicy = 'None' }: ResizePolicies,
): string | undefined {
  if (podQosClass(desired) !== 'Guaranteed') return undefined;
  const changes = (resource: 'cpu' | 'memory'): boolean =>
    requestOf(desired, resource) !== requestOf(allocated, resource);
  if (cpuManagerPolicy === 'static' && changes('cpu')) {
    return 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
  }
  if (memoryManagerPolicy === 'Static' && changes('memory')) {
    return 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
  }
  return undefined;
}

/**
 * Returns the first of CPU and memory of which the node has too little for a pod beside others; `undefined` when there is enough of both.
 *
 * @param others the other pods of the node with their allocated resources
 * @param allocatable resources for pods; a resource that is missing there is not checked
 */
export function insufficientResource(
  pod: Pod,
  others: readonly Pod[],
  allocatable: Readonly<Record<string, string>>,
): AdmissionRejection | undefined {
  for (const resource of ['cpu', 'memory'] as const) {
    const available = allocatable[resource];
    const requested = requestOf(pod, resource);
    if (available === undefined || requested === 0n) continue;
    const capacity = amountOf(parseQuantity(available), resource);
    const used = others.reduce((sum, other) => sum + requestOf(other, resource), 0n);
    if (requested + used <= capacity) continue;
    const amounts = `requested: ${String(requested)}, used: ${String(used)}, capacity: ${String(capacity)}`;
    return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, ${amounts}` };
  }
  return undefined;
}

/** Reports whether a resize requests no more CPU and memory than is allocated. */
export function isDecrease(desired: Pod, allocated: Pod): boolean {
  return (['cpu', 'memory'] as const).every(
    (resource) => requestOf(desired, resource) <= requestOf(allocated, resource),
  );
}

/** CPU in thousandths, memory in bytes. */
function requestOf(pod: Pod, resource: 'cpu' | 'memory'): bigint {
  const amount = podRequests(pod)[resource];
  return amount === undefined ? 0n : amountOf(amount, resource);
}

function amountOf(amount: ParsedQuantity, resource: 'cpu' | 'memory'): bigint {
  return resource === 'cpu' ? quantityMilliValue(amount) : quantityValue(amount);
}
