import type { AdmissionRejection } from '@rxlet/agent-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { findPodContainer, podContainers, podQosClass } from '@rxlet/pod-model';
import {
  type ParsedQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityNumber,
  quantityValue,
} from '@rxlet/pod-model/quantity';
import { mayUseSwap, podRequests } from '@rxlet/pod-model/resources';

/** Policies under which the resources of Guaranteed pods cannot change. */
export interface ResizePolicies {
  /** KubeletConfiguration `cpuManagerPolicy`. Default `none`. */
  readonly cpuManagerPolicy?: string | undefined;
  /** KubeletConfiguration `memoryManagerPolicy`. Default `None`. */
  readonly memoryManagerPolicy?: string | undefined;
  /** Whether containers may swap (KubeletConfiguration `memorySwap`, with cgroup v2). Default false. */
  readonly limitedSwap?: boolean | undefined;
}

/** Why a resize can never be put into effect on this node. */
export interface InfeasibleResize {
  readonly message: string;
  /** Label of the kubelet's metric. */
  readonly detail:
    'swap_limitation' | 'guaranteed_pod_cpu_manager_static_policy' | 'guaranteed_pod_memory_manager_static_policy';
}

/** Returns why a resize can never be put into effect on this node; `undefined` when it may. */
export function infeasibleCause(
  desired: Pod,
  allocated: Pod,
  { cpuManagerPolicy = 'none', memoryManagerPolicy = 'None', limitedSwap = false }: ResizePolicies,
): InfeasibleResize | undefined {
  if (limitedSwap && changesSwap(desired, allocated))
    return { message: 'In-place resize of containers with swap is not supported.', detail: 'swap_limitation' };
  if (podQosClass(desired) !== 'Guaranteed') return undefined;
  if (cpuManagerPolicy === 'static' && changesContainer(desired, allocated, 'cpu')) {
    const message = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
    return { message, detail: 'guaranteed_pod_cpu_manager_static_policy' };
  }
  if (memoryManagerPolicy === 'Static' && changesContainer(desired, allocated, 'memory')) {
    const message = 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
    return { message, detail: 'guaranteed_pod_memory_manager_static_policy' };
  }
  return undefined;
}

/** Reports whether a container requests another amount. The policies assign resources by container, so that an equal sum of the pod does not help. */
function changesContainer(desired: Pod, allocated: Pod, resource: 'cpu' | 'memory'): boolean {
  const amount = ({ resources }: Container | EphemeralContainer): bigint =>
    amountOf(parseQuantity(resources?.requests?.[resource] ?? '0'), resource);
  return podContainers(desired, ['init', 'regular']).some(({ container }) => {
    const before = findPodContainer(allocated, container.name)?.container;
    return before !== undefined && amount(before) !== amount(container);
  });
}

/** Reports whether the swap of a container would change with its memory request while it runs. */
function changesSwap(desired: Pod, allocated: Pod): boolean {
  return podContainers(desired).some(({ container }) => {
    const before = findPodContainer(allocated, container.name)?.container;
    if (before === undefined || memoryRequest(before) === memoryRequest(container)) return false;
    const policy = before.resizePolicy?.find(({ resourceName }) => resourceName === 'memory');
    return (
      policy?.restartPolicy !== 'RestartContainer' && (mayUseSwap(desired, container) || mayUseSwap(allocated, before))
    );
  });
}

function memoryRequest({ resources }: Container | EphemeralContainer): number {
  return quantityNumber(resources?.requests?.['memory']);
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
