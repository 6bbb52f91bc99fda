import type { Mutable, Node, Taint } from '@rxlet/kube-api';
import type { NodeSettings } from './node-status-inputs.ts';

/** Annotation of a node whose volumes the control plane attaches. */
export const CONTROLLER_ATTACH_DETACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
/** Taint that keeps pods away until the external cloud provider has initialised the node. */
const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** Returns the Node object that is registered, without its status (kubelet: initialNode). Labels of the settings win over the defaults. */
export function initialNode(settings: NodeSettings): Node {
  const { name, hostname = name, operatingSystem, architecture, schedulable = true, providerId } = settings;
  const taints = registeredTaints(settings);
  const node: Mutable<Node> = {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': hostname,
        'kubernetes.io/os': operatingSystem,
        'kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': operatingSystem,
        'beta.kubernetes.io/arch': architecture,
        ...settings.labels,
      },
      ...((settings.controllerAttachDetach ?? true) && { annotations: { [CONTROLLER_ATTACH_DETACH]: 'true' } }),
    },
    spec: {
      ...(!schedulable && { unschedulable: true }),
      ...(taints.length > 0 && { taints }),
      ...(providerId && { providerID: providerId }),
    },
  };
  return node;
}

function registeredTaints({ taints = [], schedulable = true, externalCloudProvider = false }: NodeSettings): Taint[] {
  const isClosed = taints.some(({ key, effect }) => key === UNSCHEDULABLE.key && effect === UNSCHEDULABLE.effect);
  return [
    ...taints,
    ...(schedulable || isClosed ? [] : [UNSCHEDULABLE]),
    ...(externalCloudProvider ? [UNINITIALIZED] : []),
  ];
}
