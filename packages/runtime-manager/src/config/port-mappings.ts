import { create } from '@bufbuild/protobuf';
import { type PortMapping, PortMappingSchema, Protocol } from '@rxlet/cri-api';
import type { ContainerPort, Pod } from '@rxlet/kube-api';

/**
 * The ports of a pod that the runtime maps from the node into the sandbox: those of its regular containers, each once. A host port of 0 maps nothing, but
 * network plug-ins may still want to know of the port.
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

/** Named ports are told apart by name, others by everything that makes them a different mapping. */
function identity({ name = '', protocol = 'TCP', hostIP = '', containerPort, hostPort = 0 }: ContainerPort): string {
  if (name !== '') return `name:${name}`;
  const family = hostIP === '' ? 'any' : hostIP.includes(':') ? 'v6' : 'v4';
  return `${family}-${protocol}-${hostIP}:${String(containerPort)}:${String(hostPort)}`;
}
