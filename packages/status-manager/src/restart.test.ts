import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryCheckpointFile } from './checkpoint/memory-checkpoint-file.ts';
import { createStatusCheckpoint } from './checkpoint/status-checkpoint.ts';
import { createFakeStatusSink } from './fake-status-sink.ts';
import { generatePodStatus, type GeneratePodStatusInput } from './generate-pod-status.ts';
import { createStatusManager } from './status-manager.ts';

/** An agent as far as statuses go: it reports pods with what its probes have found, which is nothing at first. */
async function startAgent(text?: string) {
  const clock = createVirtualClock();
  const file = createMemoryCheckpointFile(text);
  const checkpoint = createStatusCheckpoint({ clock, file });
  await checkpoint.load();
  const sink = createFakeStatusSink(clock);
  const manager = createStatusManager({ clock, checkpoint, sink });
  /** Whether the pod was ready, each time that this was another thing than before. */
  const ready: boolean[] = [];
  const probed = new Map<string, boolean>();
  manager.status$.subscribe(({ status }) => {
    const now = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    if (now !== ready.at(-1)) ready.push(now);
  });
  return {
    ready,
    manager,
    clock,
    sink,
    report(pod: Pod, runtime: RuntimePodStatus, more: Partial<GeneratePodStatusInput> = {}): PodStatus {
      const probes = { isReady: (id: string) => probed.get(id), isStarted: (id: string) => probed.get(id) };
      manager.setPodStatus(
        pod,
        generatePodStatus({ pod, runtime, previous: manager.previousStatus(pod), probes, ...more }),
      );
      return manager.get('uid-web')!;
    },
    probe(containerId: string, result: boolean): void {
      probed.set(containerId, result);
      manager.setContainerStartup('uid-web', containerId, result);
      manager.setContainerReadiness('uid-web', containerId, result);
    },
    /** @returns what is on the disk after the agent was killed, as soon as the last readiness had time to get there */
    async kill(): Promise<string | undefined> {
      await clock.advance(50);
      return file.text;
    },
  };
}

describe('a restart of the agent', () => {
  const probe = { tcpSocket: { port: 80 } };
  const pod = testPod({
    annotations: { 'kubernetes.io/config.source': 'file' },
    containers: [{ readinessProbe: probe, startupProbe: probe }],
  });
  const runtime = testRuntimePodStatus({ pod });
  const id = 'containerd://app-0';

  it('leaves a ready pod ready until a probe says otherwise', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    const status = after.report(pod, runtime);
    expect(status.containerStatuses).toMatchObject([{ ready: true, started: true }]);
    expect(status.startTime).toBe('2026-01-01T00:00:00Z');
    after.report(pod, runtime);
    after.probe(id, false);
    expect(after.ready).toEqual([true, false]);
  });

  it('leaves a pod that is not ready so until a probe says otherwise', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    before.probe(id, false);
    const after = await startAgent(await before.kill());
    after.report(pod, runtime);
    after.report(pod, runtime);
    after.probe(id, true);
    expect(after.ready).toEqual([false, true]);
  });

  it('does not tell the sink as news what it was told before', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    after.report(pod, runtime);
    await after.clock.advance(999);
    expect(after.sink.calls).toEqual([]);
    await after.clock.advance(1);
    expect(after.sink.calls).toHaveLength(1);
  });

  it('does not take a container that was started meanwhile for the one that was ready', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    const status = after.report(pod, testRuntimePodStatus({ pod, containers: [{ restartCount: 1 }] }));
    expect(status.containerStatuses).toMatchObject([{ ready: false, started: false, restartCount: 1 }]);
  });

  it('knows that a container ran which has vanished', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    const status = after.report(pod, testRuntimePodStatus({ pod, containers: [] }));
    expect(status.containerStatuses).toMatchObject([
      { ready: false, restartCount: 1, lastState: { terminated: { reason: 'ContainerStatusUnknown', exitCode: 137 } } },
    ]);
  });

  it('does not run a pod again that has ended', async () => {
    const once = testPod({ restartPolicy: 'Never' });
    const before = await startAgent();
    before.report(once, testRuntimePodStatus({ pod: once, containers: [{ state: 'exited' }] }));
    const after = await startAgent(await before.kill());
    expect(after.report(once, testRuntimePodStatus({ pod: once, containers: [] })).phase).toBe('Succeeded');
  });

  it('begins anew with a pod that was gone meanwhile', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    before.manager.removeOrphaned(new Set());
    const after = await startAgent(await before.kill());
    after.manager.removeOrphaned(new Set(['other']));
    expect(after.report(pod, runtime).containerStatuses).toMatchObject([{ ready: false }]);
  });
});
