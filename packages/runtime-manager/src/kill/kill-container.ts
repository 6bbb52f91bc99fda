import { isNotFound } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { containerFieldPath, findPodContainer, podEventObject, type PodIdentity } from '@rxlet/pod-model';
import type { KillReason } from '../compute/pod-actions.ts';
import type { Context } from '../context.ts';
import { inSpan } from '@rxlet/agent-api/journal';
import { confirmOutcome } from '../sync/unknown-outcome.ts';
import { gracePeriodSeconds, MINIMUM_GRACE_SECONDS } from './grace-period.ts';
import { confirmContainerStopped } from './confirm-stopped.ts';
import { restorePod } from './restore-pod.ts';
import { type PreStopPorts, type StartedPreStop, startPreStop } from './run-pre-stop.ts';
import type { TerminationOrder } from './termination-order.ts';

/** A container to stop. */
export interface KillContainerRequest {
  /** Absent: the pod's definition is unknown; grace period and preStop hook come from the container's annotations. */
  readonly pod: Pod | undefined;
  readonly identity: PodIdentity;
  readonly container: { readonly id: string; readonly name: string };
  /** Message of the `Killing` event. Default: `Stopping container <name>`. */
  readonly message?: string;
  readonly reason?: KillReason;
  /** Replaces the grace period that the pod defines, in seconds. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Whether to run the preStop hook. Default true. */
  readonly runPreStop?: boolean;
  readonly order?: TerminationOrder;
  readonly signal?: AbortSignal | undefined;
}

/** Ports of {@link killContainer}. */
export type KillContainerPorts = PreStopPorts & Pick<Context, 'runtime' | 'requestTimeoutMs' | 'journal'>;

/**
 * Stops a container: runs its preStop hook, waits for its turn among the pod's containers, then calls StopContainer with the rest of the grace period, at least
 * two seconds. A container that no longer exists counts as stopped.
 */
export async function killContainer(ports: KillContainerPorts, request: KillContainerRequest): Promise<void> {
  const { container, identity, order, signal } = request;
  const { journal } = ports;
  const about = (graceSeconds: number) => ({
    container: container.name,
    attributes: {
      graceSeconds,
      ...(request.reason !== undefined && { reason: request.reason }),
      ...(request.message !== undefined && { message: request.message }),
    },
  });
  let preStop: StartedPreStop | undefined;
  try {
    const known = request.pod !== undefined && findPodContainer(request.pod, container.name) !== undefined;
    const pod = known ? request.pod : await restorePod(ports.runtime, identity, container, signal);
    if (pod === undefined) return;
    const eventObject = podEventObject(pod, fieldPath(pod, container.name));
    const message = request.message ?? '';
    ports.events.event(
      eventObject,
      'Normal',
      'Killing',
      message === '' ? `Stopping container ${container.name}` : message,
    );

    let graceSeconds = request.gracePeriodSeconds ?? gracePeriodSeconds(pod, container.name, request.reason ?? '');
    const handler = findPodContainer(pod, container.name)?.container.lifecycle?.preStop;
    if (handler !== undefined && graceSeconds > 0 && request.runPreStop !== false) {
      const startMs = ports.clock.monotonicNow();
      const hook = { pod, container: container.name, containerId: container.id, handler, signal };
      preStop = startPreStop(ports, hook, graceSeconds);
      const { waited } = preStop;
      await inSpan(journal, identity, { kind: 'container.pre-stop', ...about(graceSeconds) }, () => waited, signal);
      graceSeconds -= Math.floor((ports.clock.monotonicNow() - startMs) / 1000);
    }
    if (order !== undefined && graceSeconds > 0) {
      const span = { kind: 'container.stop-order', isQuiet: true, ...about(graceSeconds) } as const;
      const turn = order.waitForTurn(container.name, graceSeconds * 1000);
      graceSeconds -= Math.floor((await inSpan(journal, identity, span, () => turn)) / 1000);
    }
    const seconds = Math.max(graceSeconds, MINIMUM_GRACE_SECONDS);
    const stop = (): Promise<void> => stopContainer(ports, container.id, seconds, signal);
    await inSpan(journal, identity, { kind: 'container.stop', ...about(seconds) }, stop, signal);
  } finally {
    preStop?.end();
    order?.ended(container.name);
  }
}

/** Stops a container by the runtime. The timeout of the call is the grace period plus the usual request timeout. */
export async function stopContainer(
  { runtime, requestTimeoutMs }: Pick<Context, 'runtime' | 'requestTimeoutMs'>,
  containerId: string,
  graceSeconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const timeoutMs = graceSeconds * 1000 + requestTimeoutMs;
    await confirmOutcome<unknown>(
      () => runtime.stopContainer({ containerId, timeout: BigInt(graceSeconds) }, { signal, timeoutMs }),
      () => confirmContainerStopped(runtime, containerId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function fieldPath(pod: Pod, containerName: string): string | undefined {
  const found = findPodContainer(pod, containerName);
  return found === undefined ? undefined : containerFieldPath(found.kind, containerName);
}
