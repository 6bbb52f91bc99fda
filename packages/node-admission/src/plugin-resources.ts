import type { NodeDevices } from '@rxlet/agent-api/node';
import type { Node, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';

/**
 * Returns a function that raises the allocatable devices of a node to those in use, for a pod that has devices already: it stays although their plugin is gone
 * (kubelet: sanitizeNodeAllocatable).
 */
export function withDevicesOf(devices: Pick<NodeDevices, 'inUseWith'>): (pod: Pod, node: Node) => Node {
  return (pod, node) => {
    const inUse = devices.inUseWith(podUid(pod));
    if (inUse === undefined) return node;
    const allocatable = { ...node.status?.allocatable };
    for (const [resource, count] of Object.entries(inUse)) {
      if (quantityValue(parseQuantity(allocatable[resource] ?? '0')) < BigInt(count))
        allocatable[resource] = String(count);
    }
    return { ...node, status: { ...node.status, allocatable } };
  };
}
