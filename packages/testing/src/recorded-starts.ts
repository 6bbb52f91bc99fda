import type { VirtualClock } from '@rxlet/component-base/testing';
import type { ContainerStatus } from '@rxlet/cri-api';
import type { FakeRuntime } from '@rxlet/fake-cri';
import { PodLabel } from '@rxlet/pod-model';

/** A start of a container. */
export interface RecordedStart {
  /** `pod/container`. */
  readonly name: string;
  /** Time since recording began, in milliseconds. */
  readonly atMs: number;
}

/** Records each start of a container, which the runtime forgets with the instance. The list grows. */
export function recordStarts(fake: FakeRuntime, clock: VirtualClock): readonly RecordedStart[] {
  const beganMs = clock.now();
  const starts: RecordedStart[] = [];
  const { startContainer } = fake.runtime;
  fake.runtime.startContainer = async (request, options) => {
    try {
      return await startContainer(request, options);
    } finally {
      // Also when the reply is lost or reports a failure.
      const started = fake.snapshot().containers.find(({ id }) => id === request.containerId);
      if (started !== undefined && started.startedAt > 0n) {
        starts.push({ name: containerFullName(started), atMs: clock.now() - beganMs });
      }
    }
  };
  return starts;
}

/** Returns `pod/container`. */
export function containerFullName({ labels }: Pick<ContainerStatus, 'labels'>): string {
  return `${labels[PodLabel.podName] ?? ''}/${labels[PodLabel.containerName] ?? ''}`;
}
