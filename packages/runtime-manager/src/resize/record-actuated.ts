import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { ContainerKind } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { effectiveResources } from './effective-resources.ts';

/** A container to be created. */
export interface ContainerToRecord {
  readonly pod: Pod;
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
}

/** Puts the resources that a container is about to be created with on record. Ephemeral ones have none. */
export async function recordActuated(
  { actuated }: Context,
  { pod, kind, container }: ContainerToRecord,
): Promise<void> {
  if (kind === 'ephemeral') return;
  const resources = effectiveResources(container.resources, pod.spec!.resources);
  const record = actuated.setContainer(pod.metadata?.uid ?? '', container.name, resources);
  // An earlier instance had others, and its record must not be taken for that of this one. See ActuatedResourcesStore.
  if (record === 'changed') await actuated.saved();
}

/** Puts the resources of a pod as a whole on record, which hold from its sandbox on. */
export function recordActuatedPod({ actuated }: Context, pod: Pod): void {
  const { resources } = pod.spec!;
  if (resources !== undefined) actuated.setPod(pod.metadata?.uid ?? '', resources);
}
