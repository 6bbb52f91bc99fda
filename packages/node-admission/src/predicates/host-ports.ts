import type { ContainerPort, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

const ANY_ADDRESS = '0.0.0.0';

/** Reports whether the node's ports that the pod asks for are free. */
export function hostPortsAreFree(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return true;
  const used = others.flatMap(hostPorts);
  return !wanted.some((port) => used.some((other) => conflict(port, other)));
}

/** Returns the ports of the containers that run as long as the pod. */
function hostPorts({ spec }: Pod): readonly ContainerPort[] {
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return containers.flatMap(({ ports = [] }) => ports.filter(({ hostPort = 0 }) => hostPort > 0));
}

function conflict(a: ContainerPort, b: ContainerPort): boolean {
  if (a.hostPort !== b.hostPort || (a.protocol || 'TCP') !== (b.protocol || 'TCP')) return false;
  const addresses = [a.hostIP || ANY_ADDRESS, b.hostIP || ANY_ADDRESS];
  return addresses.includes(ANY_ADDRESS) || addresses[0] === addresses[1];
}
