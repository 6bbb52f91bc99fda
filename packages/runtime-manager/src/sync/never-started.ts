import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import {
  containerHash,
  newestContainerStatus,
  type RuntimeContainerStatus,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { removeContainer } from '../kill/remove-container.ts';
import type { SandboxHandle } from './create-sandbox.ts';

/** For how long after its creation a container that did not start may be started once more; an older one is replaced. */
const STARTABLE_FOR_MS = 10_000;

/** A container to start, among what the runtime held when the sync began. */
interface Subject {
  readonly container: Container | EphemeralContainer;
  readonly status: RuntimePodStatus;
  readonly sandbox: SandboxHandle;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The newest instance, if it was created but not seen to start, and is as good as a new one. To start that one, rather than to replace it at once, leaves the
 * runtime as it is while starting goes on failing: each replacement would be a change in the runtime, and lead to the next sync at once.
 */
export function startableInstance(
  { clock }: Pick<Context, 'clock'>,
  { container, status, sandbox }: Subject,
): RuntimeContainerStatus | undefined {
  const newest = newestContainerStatus(status, container.name);
  if (newest?.state !== 'created' || newest.sandboxId !== sandbox.id) return undefined;
  if (newest.hash !== containerHash(container)) return undefined;
  const ageMs = clock.now() - Number(newest.createdAtNanos / 1_000_000n);
  return ageMs < STARTABLE_FOR_MS ? newest : undefined;
}

/**
 * Removes the instances that were created but not seen to start, before a new one is made: one of them may still be about to start, since the runtime may not
 * have answered in time, and there must never be two.
 */
export async function removeNeverStarted(context: Context, { container, status, signal }: Subject): Promise<void> {
  for (const { id, name, state } of status.containers) {
    if (name === container.name && state === 'created') await removeContainer(context, id.id, signal);
  }
}
