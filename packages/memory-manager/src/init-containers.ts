import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

/** Returns the init containers that end before a container starts; all that are no sidecars for a regular container, or without one. */
export function endingBefore({ spec }: Pod, container?: Pick<Container, 'name'>): readonly Container[] {
  const initContainers = spec?.initContainers ?? [];
  const index = initContainers.findIndex(({ name }) => name === container?.name);
  return initContainers.slice(0, index < 0 ? undefined : index).filter((candidate) => !isSidecar(candidate));
}
