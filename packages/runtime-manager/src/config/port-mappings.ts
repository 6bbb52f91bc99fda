import { create } from '@bufbuild/protobuf';
import { type PortMapping, PortMappingSchema, Protocol } from '@rxlet/cri-api';
import type { ContainerPort, Pod } from '@rxlet/kube-api';

/**
 * Returns the port mappings of a pod's sandbox: the ports of its regular containers, each once. A port without a host port is included for network plug-ins,
 * although nothing is mapped.
 */
export function podPortMappings(pod: Pod): PortMapping[] {
  return pod.spec!.containers.flatMap(({ ports = [] }) => {
    const seen = new Map<string, ContainerPort>();
    for (const port of ports) {
      const key = identity(port);
      if (!seen.has(key)) seen.set(key, port);
    }
    return [...seen.values()].map((port) =>
      create(PortMappingSchema, {
        protocol: protocolOf(port),
        containerPort: port.containerPort,
        hostPort: port.hostPort ?? 0,
        hostIp: port.hostIP ?? '',
      }),
    );
  });
}

function protocolOf({ protocol }: ContainerPort): Protocol {
  switch (protocol) {
    case 'UDP':
      return Protocol.UDP;
    case 'SCTP':
      return Protocol.SCTP;
    default:
      return Protocol.TCP;
  }
}

/** Returns the identity of a port: its name, or else all fields of the mapping. */
function identity({ name = '', protocol = 'TCP', hostIP = '', containerPort, hostPort = 0 }: ContainerPort): string {
  if (name !== '') return `name:${name}`;
  const family = hostIP === '' ? 'any' : hostIP.includes(':') ? 'v6' : 'v4';
  return `${family}-${protocol}-${hostIP}:${String(containerPort)}:${String(hostPort)}`;
}
