import { isNotFound } from '@rxlet/cri-api';
import { inSpan } from '@rxlet/agent-api/journal';
import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { Context } from '../context.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncResult } from '../sync/sync-result.ts';
import { confirmOutcome } from '../sync/unknown-outcome.ts';
import { killContainer, type KillContainerPorts } from './kill-container.ts';
import { confirmSandboxStopped } from './confirm-stopped.ts';
import { createTerminationOrder } from './termination-order.ts';

/** Options of killing a pod. */
export interface KillPodOptions {
  /** Overrides the pod's grace period, in seconds; at least 2. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Whether to run preStop hooks. Default true. */
  readonly runPreStop?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stops the running containers of a pod concurrently (sidecars last), then all its sandboxes, which also stops containers missing from the status. A failure
 * does not keep others from being stopped; nothing is removed.
 */
export async function killPodContents(
  ports: KillContainerPorts,
  pod: Pod | undefined,
  status: RuntimePodStatus,
  record: (result: SyncResult) => void,
  { gracePeriodSeconds, runPreStop = true, signal }: KillPodOptions = {},
): Promise<void> {
  const running = status.containers.filter(({ state }) => state === 'running');
  const order = createTerminationOrder(ports.clock, pod ?? {}, new Set(running.map(({ name }) => name)));
  await Promise.all(
    running.map(async ({ id, name }) => {
      try {
        await killContainer(ports, {
          pod,
          identity: status,
          container: { id: id.id, name },
          gracePeriodSeconds,
          // Like the kubelet, run no hooks for an orphaned pod.
          runPreStop: runPreStop && pod !== undefined,
          order,
          signal,
        });
        record({ action: 'KillContainer', target: name });
      } catch (error) {
        record(failedResult('KillContainer', name, error, 'KillContainerError'));
      }
    }),
  );
  for (const { id } of status.sandboxes) {
    try {
      await inSpan(ports.journal, status, { kind: 'sandbox.stop' }, () => stopSandbox(ports, id, signal), signal);
      record({ action: 'KillPodSandbox', target: id });
    } catch (error) {
      record(failedResult('KillPodSandbox', id, error, 'KillPodSandboxError'));
    }
  }
}

/** Stops a sandbox and its running containers. A sandbox that no longer exists counts as stopped. */
export async function stopSandbox(
  { runtime }: Pick<Context, 'runtime'>,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await confirmOutcome<unknown>(
      () => runtime.stopPodSandbox({ podSandboxId }, { signal }),
      () => confirmSandboxStopped(runtime, podSandboxId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
