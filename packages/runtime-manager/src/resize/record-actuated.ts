import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { type ContainerKind, podUid } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { effectiveResources } from './effective-resources.ts';

/** Container to create. */
export interface ContainerToRecord {
  readonly pod: Pod;
  readonly kind: ContainerKind;
  readonly container: Container | EphemeralContainer;
}

/** Records the resources with which a container is about to be created. Ephemeral containers have no resources. */
export async function recordActuated(
  { actuated }: Pick<Context, 'actuated'>,
  { pod, kind, container }: ContainerToRecord,
): Promise<void> {
  if (kind === 'ephemeral') return;
  const resources = effectiveResources(container.resources, pod.spec!.resources);
  const record = actuated.setContainer(podUid(pod), container.name, resources);
  // After a crash, the record of an earlier instance must not apply to this one. See ActuatedResourcesStore.
  if (record === 'changed') await actuated.saved();
}

/** Records the pod-level resources, which take effect with the sandbox. */
export function recordActuatedPod({ actuated }: Pick<Context, 'actuated'>, pod: Pod): void {
  const { resources } = pod.spec!;
  if (resources !== undefined) actuated.setPod(podUid(pod), resources);
}
