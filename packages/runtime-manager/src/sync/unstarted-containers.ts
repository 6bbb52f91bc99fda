import { type Clock, errorMessage } from '@rxlet/component-base';
import { ContainerState, isNotFound } from '@rxlet/cri-api';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import { newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { Context } from '../context.ts';
import { removeContainer, type RemoveContainerPorts } from '../kill/remove-container.ts';
import type { SandboxHandle } from './create-sandbox.ts';

/** Age up to which an unstarted container may be started; an older one is replaced. */
const STARTABLE_FOR_MS = 10_000;

/** Container to start, with the pod's status when the sync began. */
interface Subject {
  readonly container: Container | EphemeralContainer;
  readonly status: RuntimePodStatus;
  readonly sandbox: SandboxHandle;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the newest instance if it was created, was not seen to start, and equals a new one. Starting it, rather than replacing it, leaves the runtime
 * unchanged while starts fail: each replacement would change the runtime and trigger the next sync at once.
 */
export function startableInstance(
  { clock }: Pick<Context, 'clock'>,
  { container, status, sandbox }: Subject,
): RuntimeContainerStatus | undefined {
  const newest = newestContainerStatus(status, container.name);
  if (newest?.state !== 'created' || newest.sandboxId !== sandbox.id) return undefined;
  if (newest.hash !== containerHash(container)) return undefined;
  return isYoungerThan(STARTABLE_FOR_MS, newest, clock) ? newest : undefined;
}

/** Reports whether an instance was created less than `ms` ago. One from the future was not; the wall clock has been set back. */
function isYoungerThan(ms: number, { createdAtNanos }: RuntimeContainerStatus, { now }: Pick<Clock, 'now'>): boolean {
  const ageMs = now() - Number(createdAtNanos / 1_000_000n);
  return ageMs >= 0 && ageMs < ms;
}

/** Ports of {@link removeUnstarted} and {@link removeStrayContainers}. */
export type RemoveUnstartedPorts = RemoveContainerPorts & Pick<Context, 'clock' | 'requestTimeoutMs'>;

/**
 * Removes the instances that were created but not seen to start, except the one to start now. A start that timed out may still take effect, and two instances
 * must never run.
 * @returns the instance that has started since the sync began, if any. It is kept, and no other may be started.
 */
export async function removeUnstarted(
  ports: RemoveUnstartedPorts,
  { container, status, sandbox, signal }: Subject,
  toStart?: RuntimeContainerStatus,
): Promise<RuntimeContainerStatus | undefined> {
  const newest = newestContainerStatus(status, container.name);
  let started: RuntimeContainerStatus | undefined;
  for (const instance of status.containers) {
    if (instance.name !== container.name || instance.state !== 'created' || instance === toStart) continue;
    if (instance !== newest && !mayStillStart(ports, instance)) continue;
    const mayStay = started === undefined && instance.sandboxId === sandbox.id;
    if (mayStay && (await hasStarted(ports, instance.id.id, signal))) started = instance;
    else await removeOrDefer(ports, instance, signal);
  }
  return started;
}

/** Reports whether an earlier start of an instance may still take effect. Afterwards, garbage collection retries a failed removal. */
function mayStillStart(
  { clock, requestTimeoutMs }: Pick<Context, 'clock' | 'requestTimeoutMs'>,
  instance: RuntimeContainerStatus,
): boolean {
  return isYoungerThan(STARTABLE_FOR_MS + requestTimeoutMs, instance, clock);
}

/**
 * Removes an unstarted instance. If that fails, garbage collection retries it.
 * @throws the runtime's error while the instance runs or may still start
 */
async function removeOrDefer(
  ports: RemoveUnstartedPorts,
  instance: RuntimeContainerStatus,
  signal: AbortSignal | undefined,
): Promise<void> {
  const containerId = instance.id.id;
  try {
    await removeContainer(ports, containerId, signal);
  } catch (error) {
    if (signal?.aborted === true || mayStillStart(ports, instance)) throw error;
    if (await hasStarted(ports, containerId, signal)) throw error;
    ports.logger.warn('cannot remove an unstarted container; garbage collection will retry', {
      container: instance.name,
      id: containerId,
      error: errorMessage(error),
    });
  }
}

async function hasStarted(
  { runtime }: Pick<Context, 'runtime'>,
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
 * Removes unstarted instances of containers that have a running instance. The runtime created them after their call had timed out, and they must not count as
 * the container's current state.
 * @returns the status without the stray containers
 */
export async function removeStrayContainers(
  ports: RemoveUnstartedPorts,
  status: RuntimePodStatus,
  signal: AbortSignal | undefined,
): Promise<RuntimePodStatus> {
  const running = new Set(status.containers.filter(({ state }) => state === 'running').map(({ name }) => name));
  const isStray = ({ name, state }: RuntimeContainerStatus): boolean => state === 'created' && running.has(name);
  for (const stray of status.containers.filter(isStray)) {
    if (!mayStillStart(ports, stray)) continue;
    const { id, name } = stray;
    try {
      await removeContainer(ports, id.id, signal);
    } catch (error) {
      // It was never started, and the next sync retries.
      ports.logger.warn('cannot remove a stray container', {
        container: name,
        id: id.id,
        error: errorMessage(error),
      });
    }
  }
  return { ...status, containers: status.containers.filter((container) => !isStray(container)) };
}
