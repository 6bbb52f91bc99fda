import type { ContainerImage, Mutable, Node, NodeSystemInfo } from '@rxlet/kube-api';
import type { NodeMachine, NodeSettings, NodeStatusInputs, RuntimeInfo } from '../node-status-inputs.ts';

/** Names of one image in the status. */
const MAX_NAMES_PER_IMAGE = 5;

/**
 * Sets `status.nodeInfo`. Without facts about the machine, those from before are kept.
 *
 * @returns whether the machine has booted since the last status
 */
export function setNodeInfo(
  node: Mutable<Node>,
  settings: NodeSettings,
  machine: NodeMachine | undefined,
  runtime: RuntimeInfo,
): boolean {
  const status = (node.status ??= {});
  const before: Partial<NodeSystemInfo> = status.nodeInfo ?? {};
  status.nodeInfo = {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    ...before,
    ...(machine !== undefined && {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      ...(machine.swapBytes > 0 && { swap: { capacity: machine.swapBytes } }),
    }),
    containerRuntimeVersion: `${runtime.name}://${runtime.version ?? 'Unknown'}`,
    kubeletVersion: settings.kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem: settings.operatingSystem,
    architecture: settings.architecture,
  };
  return machine !== undefined && !!before.bootID && before.bootID !== machine.bootId;
}

/** Sets `status.runtimeHandlers`, sorted by name because a runtime may list them in any order, and `status.features`, which stay as they are while the runtime reports none. */
export function setRuntimeFeatures(node: Mutable<Node>, { handlers, features }: RuntimeInfo): void {
  const status = (node.status ??= {});
  const shown = handlers
    .map(({ name, features: offered }) => ({
      name,
      features: {
        recursiveReadOnlyMounts: offered?.recursiveReadOnlyMounts ?? false,
        userNamespaces: offered?.userNamespaces ?? false,
      },
    }))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  if (shown.length > 0) status.runtimeHandlers = shown;
  else delete status.runtimeHandlers;
  if (features !== undefined) status.features = { supplementalGroupsPolicy: features.supplementalGroupsPolicy };
}

/** Sets `status.images`: the largest first, without those that exceed `maxImages`, and at most five names of each. */
export function setImages(node: Mutable<Node>, images: NonNullable<NodeStatusInputs['images']>, maxImages = 50): void {
  const sorted = images.toSorted((left, right) => compareSizes(right, left));
  const shown = maxImages > -1 ? sorted.slice(0, maxImages) : sorted;
  (node.status ??= {}).images = shown.map(({ repoDigests, repoTags, size }): Mutable<ContainerImage> => ({
    names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES_PER_IMAGE),
    ...(size > 0n && { sizeBytes: Number(size) }),
  }));
}

type SizedImage = NonNullable<NodeStatusInputs['images']>[number];

function compareSizes(left: SizedImage, right: SizedImage): number {
  if (left.size !== right.size) return left.size < right.size ? -1 : 1;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}
