import type { OtherPods } from '@rxlet/agent-api';
import type { ContainerPort, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

const ANY_ADDRESS = '0.0.0.0';

/** Reports whether the node's ports that the pod asks for are free. */
export function hostPortsAreFree(pod: Pod, others: OtherPods): boolean {
  const isUsed = (key: string): boolean => others.sum(hostPortUses, key) > 0n;
  return !hostPorts(pod).some((port) => {
    const address = port.hostIP || ANY_ADDRESS;
    if (address === ANY_ADDRESS) return isUsed(portKey(port));
    return isUsed(addressKey(port, address)) || isUsed(addressKey(port, ANY_ADDRESS));
  });
}

/** Counts the uses of each port of the node, on any address and on each of them. */
function hostPortUses(pod: Pod): Readonly<Record<string, bigint>> {
  const uses: Record<string, bigint> = {};
  for (const port of hostPorts(pod))
    for (const key of [portKey(port), addressKey(port, port.hostIP || ANY_ADDRESS)]) uses[key] = (uses[key] ?? 0n) + 1n;
  return uses;
}

const portKey = ({ hostPort, protocol }: ContainerPort): string => `${String(hostPort)}/${protocol || 'TCP'}`;
const addressKey = (port: ContainerPort, address: string): string => `${portKey(port)}/${address}`;

/** Returns the ports of the containers that run as long as the pod. */
function hostPorts({ spec }: Pod): readonly ContainerPort[] {
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return containers.flatMap(({ ports = [] }) => ports.filter(({ hostPort = 0 }) => hostPort > 0));
}
