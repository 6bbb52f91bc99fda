import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createStatusCheckpoint } from './checkpoint/status-checkpoint.ts';
import { createFakeStatusSink } from './fake-status-sink.ts';
import { generatePodStatus, type GeneratePodStatusInput } from './generate-pod-status.ts';
import { createStatusManager } from './status-manager.ts';

/** A status manager with a checkpoint that reports pods with their probe results, initially none. */
async function startAgent(text?: string) {
  const clock = createVirtualClock();
  const path = '/var/lib/kubelet/pod_statuses';
  const memory = createMemoryFiles(text === undefined ? {} : { files: { [path]: text } });
  const checkpoint = createStatusCheckpoint({ clock, files: memory.nodeFiles, path });
  await checkpoint.load();
  const sink = createFakeStatusSink(clock);
  const manager = createStatusManager({ clock, restorer: checkpoint, sinks: [sink] });
  /** Changes of the readiness of the pod. */
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
    /** @returns the files after the agent was killed, once the last readiness was written */
    async kill(): Promise<string | undefined> {
      await clock.advance(50);
      return memory.text(path);
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

  it('keeps a ready pod ready until a probe fails', async () => {
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

  it('keeps an unready pod unready until a probe succeeds', async () => {
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

  it('does not carry readiness over to a container that was started meanwhile', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    const status = after.report(pod, testRuntimePodStatus({ pod, containers: [{ restartCount: 1 }] }));
    expect(status.containerStatuses).toMatchObject([{ ready: false, started: false, restartCount: 1 }]);
  });

  it('reports a vanished container as having run', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    const after = await startAgent(await before.kill());
    const status = after.report(pod, testRuntimePodStatus({ pod, containers: [] }));
    expect(status.containerStatuses).toMatchObject([
      { ready: false, restartCount: 1, lastState: { terminated: { reason: 'ContainerStatusUnknown', exitCode: 137 } } },
    ]);
  });

  it('keeps the terminal phase of a pod', async () => {
    const once = testPod({ restartPolicy: 'Never' });
    const before = await startAgent();
    before.report(once, testRuntimePodStatus({ pod: once, containers: [{ state: 'exited' }] }));
    const after = await startAgent(await before.kill());
    expect(after.report(once, testRuntimePodStatus({ pod: once, containers: [] })).phase).toBe('Succeeded');
  });

  describe('after a kubelet, which leaves no statuses', () => {
    const startedAt = '2025-12-31T23:00:00Z';
    const running = testRuntimePodStatus({
      pod,
      containers: [{ startedAtNanos: BigInt(Date.parse(startedAt)) * 1_000_000n }],
    });

    it('counts a container as started that has run for long, and as unready until its first readiness result', async () => {
      const agent = await startAgent();
      const agentStartMs = Date.parse(startedAt) + 30_001;
      const first = agent.report(pod, running, { agentStartMs });
      expect(first.containerStatuses).toMatchObject([{ started: true, ready: false }]);
      const second = agent.report(pod, running, { agentStartMs });
      expect(second.containerStatuses).toMatchObject([{ started: true, ready: false }]);
      agent.probe(id, true);
      expect(agent.ready).toEqual([false, true]);
    });

    it('waits for the startup probe of a container that may still be starting', async () => {
      const agent = await startAgent();
      const agentStartMs = Date.parse(startedAt) + 30_000;
      expect(agent.report(pod, running, { agentStartMs }).containerStatuses).toMatchObject([{ started: false }]);
      // It was reported by this agent now, so that its age does not matter any more.
      const later = agent.report(pod, running, { agentStartMs: agentStartMs + 1 });
      expect(later.containerStatuses).toMatchObject([{ started: false }]);
    });
  });

  it('drops the rejection of a pod by the previous agent', async () => {
    const before = await startAgent();
    before.manager.setPodStatus(pod, { phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough cpu' });
    await before.clock.advance(1000);
    const after = await startAgent(await before.kill());
    expect(after.manager.previousStatus(pod)).toMatchObject({ phase: 'Pending', startTime: '2026-01-01T00:00:00Z' });
    const status = after.report(pod, runtime);
    expect([status.phase, status.reason, status.message]).toEqual(['Running', undefined, undefined]);
  });

  it('keeps the start time of a pod that exceeded its deadline, without its failure', async () => {
    const failure = {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    };
    const stopped = testRuntimePodStatus({ pod, containers: [{ state: 'exited', exitCode: 137 }] });
    const before = await startAgent();
    before.report(pod, runtime);
    expect(before.report(pod, stopped, { failure, podIsTerminal: true }).phase).toBe('Failed');
    await before.clock.advance(1000);
    const after = await startAgent(await before.kill());
    await after.clock.advance(60_000);
    const status = after.report(pod, testRuntimePodStatus({ pod, containers: [{ restartCount: 1 }] }));
    expect([status.phase, status.reason, status.startTime]).toEqual(['Running', undefined, '2026-01-01T00:00:00Z']);
  });

  it('starts without history for a pod that was removed meanwhile', async () => {
    const before = await startAgent();
    before.report(pod, runtime);
    before.probe(id, true);
    before.manager.removeOrphaned(new Set());
    const after = await startAgent(await before.kill());
    after.manager.removeOrphaned(new Set(['other']));
    expect(after.report(pod, runtime).containerStatuses).toMatchObject([{ ready: false }]);
  });
});
