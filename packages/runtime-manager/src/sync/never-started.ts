import { errorMessage } from '@rxlet/component-base';
import { ContainerState, isNotFound } from '@rxlet/cri-api';
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
 * Removes the instances that were created but not seen to start, but for the one to be started now: one of them may still be about to start, since the runtime
 * may not have answered in time, and there must never be two.
 * @returns one that was started since the sync began, if so: it stays, and no other may be started.
 */
export async function removeNeverStarted(
  context: Context,
  { container, status, sandbox, signal }: Subject,
  toStart?: RuntimeContainerStatus,
): Promise<RuntimeContainerStatus | undefined> {
  let started: RuntimeContainerStatus | undefined;
  for (const instance of status.containers) {
    if (instance.name !== container.name || instance.state !== 'created' || instance === toStart) continue;
    const mayStay = started === undefined && instance.sandboxId === sandbox.id;
    if (mayStay && (await hasStarted(context, instance.id.id, signal))) started = instance;
    else await removeContainer(context, instance.id.id, signal);
  }
  return started;
}

async function hasStarted(
  { runtime }: Context,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    return status !== undefined && status.state !== ContainerState.CONTAINER_CREATED;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Removes the instances that were created but not seen to start although another one of the same container runs: the runtime made them when nobody waited for
 * them any more, and they must not pass for the container's present state.
 * @returns the status without them.
 */
export async function removeStrays(
  context: Context,
  status: RuntimePodStatus,
  signal: AbortSignal | undefined,
): Promise<RuntimePodStatus> {
  const running = new Set(status.containers.filter(({ state }) => state === 'running').map(({ name }) => name));
  const isStray = ({ name, state }: RuntimeContainerStatus): boolean => state === 'created' && running.has(name);
  for (const { id, name } of status.containers.filter(isStray)) {
    try {
      await removeContainer(context, id.id, signal);
    } catch (error) {
      // Nobody starts it meanwhile, and the next sync tries again.
      context.logger.warn('cannot remove a container that was made late', {
        container: name,
        id: id.id,
        error: errorMessage(error),
      });
    }
  }
  return { ...status, containers: status.containers.filter((container) => !isStray(container)) };
}
