import { isNotFound } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncResult } from '../sync/sync-result.ts';
import { callOrLook } from '../sync/unknown-outcome.ts';
import { killContainer } from './kill-container.ts';
import { isSandboxStopped } from './look-at-runtime.ts';
import { createTerminationOrder } from './termination-order.ts';

/** How a pod is stopped. */
export interface KillPodOptions {
  /** Replaces the grace period that the pod defines, in seconds; less than 2 counts as 2. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stops all that runs of a pod: its containers side by side (sidecars last), then every sandbox, which also stops what was overlooked. Each attempt is
 * made whatever became of the others; nothing is removed.
 */
export async function killPodContents(
  context: Context,
  pod: Pod | undefined,
  status: RuntimePodStatus,
  record: (result: SyncResult) => void,
  { gracePeriodSeconds, signal }: KillPodOptions = {},
): Promise<void> {
  const running = status.containers.filter(({ state }) => state === 'running');
  const order = createTerminationOrder(context.clock, pod ?? {}, new Set(running.map(({ name }) => name)));
  await Promise.all(
    running.map(async ({ id, name }) => {
      try {
        await killContainer(context, {
          pod,
          identity: status,
          container: { id: id.id, name },
          gracePeriodSeconds,
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
      await stopSandbox(context, id, signal);
      record({ action: 'KillPodSandbox', target: id });
    } catch (error) {
      record(failedResult('KillPodSandbox', id, error, 'KillPodSandboxError'));
    }
  }
}

/** Stops a sandbox with all that still runs in it. One that is gone counts as stopped. */
export async function stopSandbox(
  { runtime }: Context,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await callOrLook<unknown>(
      () => runtime.stopPodSandbox({ podSandboxId }, { signal }),
      () => isSandboxStopped(runtime, podSandboxId, signal),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
