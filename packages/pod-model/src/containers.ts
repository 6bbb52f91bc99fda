import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';

/** Kind of a container: the list of the pod's spec that it is in. */
export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/** Container of a pod's spec with its position. */
export interface PodContainer {
  readonly kind: ContainerKind;
  /** Position in the list of its kind. */
  readonly index: number;
  readonly container: Container | EphemeralContainer;
}

const allKinds: readonly ContainerKind[] = ['init', 'regular', 'ephemeral'];

function containersOfKind(pod: Pod, kind: ContainerKind): readonly (Container | EphemeralContainer)[] {
  switch (kind) {
    case 'init':
      return pod.spec?.initContainers ?? [];
    case 'regular':
      return pod.spec?.containers ?? [];
    case 'ephemeral':
      return pod.spec?.ephemeralContainers ?? [];
  }
}

/** Returns a pod's containers of the given kinds, in the order of the kinds and then of the spec. Default: init, regular, ephemeral. */
export function podContainers(pod: Pod, kinds: readonly ContainerKind[] = allKinds): readonly PodContainer[] {
  const found: PodContainer[] = [];
  for (const kind of kinds) {
    containersOfKind(pod, kind).forEach((container, index) => found.push({ kind, index, container }));
  }
  return found;
}

/** Returns the container with a name. Names are unique in a pod. */
export function findPodContainer(pod: Pod, name: string): PodContainer | undefined {
  for (const kind of allKinds) {
    const containers = containersOfKind(pod, kind);
    const index = containers.findIndex((container) => container.name === name);
    const container = containers[index];
    if (container !== undefined) return { kind, index, container };
  }
  return undefined;
}

/** Reports whether an init container is a sidecar, which keeps running beside the regular containers (KEP-753). */
export function isSidecar(initContainer: Pick<Container, 'restartPolicy'>): boolean {
  return initContainer.restartPolicy === 'Always';
}

/** Reports whether a container of any kind is privileged. */
export function hasAnyPrivilegedContainer(pod: Pod): boolean {
  return allKinds.some((kind) =>
    containersOfKind(pod, kind).some((container) => container.securityContext?.privileged === true),
  );
}

/** Returns the field path of a container in events, such as `spec.containers{web}`. */
export function containerFieldPath(kind: ContainerKind, name: string): string {
  switch (kind) {
    case 'init':
      return `spec.initContainers{${name}}`;
    case 'regular':
      return `spec.containers{${name}}`;
    case 'ephemeral':
      return `spec.ephemeralContainers{${name}}`;
  }
}
