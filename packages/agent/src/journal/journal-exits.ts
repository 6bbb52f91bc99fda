import type { Journal } from '@rxlet/agent-api/journal';
import type { PodLifecycleEvent } from '@rxlet/pleg';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/** Reports the exit of a container, with its exit code and the runtime's reason. The runtime shows exits from before a restart of the agent again. */
export function journalExit(
  journal: Journal,
  event: PodLifecycleEvent,
  statusOf: (podUid: string) => RuntimePodStatus,
): void {
  if (!journal.isRecording || event.type !== 'ContainerDied' || event.containerName === undefined) return;
  const { podUid: uid, containerId, containerName: container } = event;
  const status = statusOf(uid);
  const exited = status.containers.find(({ id, state }) => id.id === containerId && state === 'exited');
  const ranMs =
    exited === undefined ? undefined : Number((exited.finishedAtNanos - exited.startedAtNanos) / 1_000_000n);
  journal.record(status, {
    kind: 'container.exited',
    container,
    within: 'life',
    once: containerId,
    attributes: {
      containerId,
      ...(exited === undefined
        ? event.exitCode !== undefined && { exitCode: event.exitCode }
        : {
            exitCode: exited.exitCode,
            reason: exited.reason,
            ...(exited.message !== '' && { message: exited.message }),
            restartCount: exited.restartCount,
            // A container that never started has no start.
            ...(exited.startedAtNanos > 0n && { ranMs: ranMs! }),
          }),
    },
  });
}
