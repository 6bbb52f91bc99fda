import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';

/** Which of a pod's three lists a container is in. */
export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/** A container of a pod's spec with its place there. */
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

/** A pod's containers in spec order: init, regular, ephemeral, or those of the given kinds in the order given. */
export function podContainers(pod: Pod, kinds: readonly ContainerKind[] = allKinds): readonly PodContainer[] {
  const found: PodContainer[] = [];
  for (const kind of kinds) {
    containersOfKind(pod, kind).forEach((container, index) => found.push({ kind, index, container }));
  }
  return found;
}

/** The container of that name; names are unique over the three kinds. */
export function findPodContainer(pod: Pod, name: string): PodContainer | undefined {
  for (const kind of allKinds) {
    const containers = containersOfKind(pod, kind);
    const index = containers.findIndex((container) => container.name === name);
    const container = containers[index];
    if (container !== undefined) return { kind, index, container };
  }
  return undefined;
}

/** Whether an init container is a sidecar: it keeps running beside the regular ones (KEP-753). */
export function isSidecar(initContainer: Pick<Container, 'restartPolicy'>): boolean {
  return initContainer.restartPolicy === 'Always';
}

/** Whether any container, of any kind, is privileged. */
export function hasAnyPrivilegedContainer(pod: Pod): boolean {
  return allKinds.some((kind) =>
    containersOfKind(pod, kind).some((container) => container.securityContext?.privileged === true),
  );
}

/** Where a container is in the pod, as events name it: `spec.containers{web}`. */
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
