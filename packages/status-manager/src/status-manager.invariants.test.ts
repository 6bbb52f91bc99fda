import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, PodPhase, PodStatus } from '@rxlet/kube-api';
import { testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatePodStatus } from './generate-pod-status.ts';
import { sameStatus } from './status-equality.ts';
import { createStatusManager } from './status-manager.ts';
import type { PodStatusUpdate, StatusSink } from '@rxlet/agent-api/statuses';
import { podUid } from '@rxlet/pod-model';

type Outcome = 'taken' | 'failed' | 'reply lost' | 'hangs';

type Step =
  | { readonly do: 'status'; readonly phase: PodPhase; readonly ready: boolean; readonly message: string }
  | { readonly do: 'readiness' | 'startup'; readonly value: boolean }
  | { readonly do: 'running' | 'mirror'; readonly value: boolean }
  | { readonly do: 'terminate' | 'forget' | 'orphan' | 'republish' | 'network' | 'delete' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('status' as const),
      phase: fc.constantFrom<PodPhase>('Pending', 'Running', 'Running', 'Succeeded', 'Failed'),
      ready: fc.boolean(),
      message: fc.constantFrom('', 'one', 'two'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('readiness' as const, 'startup' as const, 'running' as const, 'mirror' as const),
      value: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'terminate' as const,
        'forget' as const,
        'orphan' as const,
        'republish' as const,
        'network' as const,
        'delete' as const,
      ),
    }),
  },
);

const scenario = fc.record({
  steps: fc.array(fc.tuple(fc.nat({ max: 2 }), step, fc.constantFrom(0, 1, 50, 700, 3000)), {
    minLength: 1,
    maxLength: 40,
  }),
  calls: fc.array(
    fc.record({
      outcome: fc.constantFrom<Outcome>('taken', 'taken', 'taken', 'failed', 'reply lost', 'hangs'),
      latencyMs: fc.constantFrom(0, 20, 900, 5000),
    }),
    { maxLength: 25 },
  ),
  dispose: fc.boolean(),
});

const isStatic = (pod: Pod): boolean => pod.metadata?.annotations?.['kubernetes.io/config.source'] !== undefined;
const ends = (phase: PodPhase | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** A node with a manager and an unreliable API that records its calls. */
function world(calls: readonly { outcome: Outcome; latencyMs: number }[]) {
  const clock = createVirtualClock();
  const api = new Map<string, PodStatusUpdate>();
  const running = new Set<string>();
  const mirrored = new Set<string>();
  const left = [...calls];
  let made = 0;
  const sink: StatusSink = {
    needsMirrorPods: true,
    async publish(update, signal) {
      made += 1;
      const { outcome, latencyMs } = left.shift() ?? { outcome: 'taken', latencyMs: 10 };
      await sleep(clock, outcome === 'hangs' ? 1e9 : latencyMs, signal);
      if (outcome === 'failed') throw new Error('refused');
      const before = api.get(podUid(update.pod));
      expect(update.version).toBeGreaterThanOrEqual(before?.version ?? 0);
      api.set(podUid(update.pod), update);
      if (outcome === 'reply lost') throw new Error('connection reset');
    },
  };
  const manager = createStatusManager({
    clock,
    sinks: [sink],
    couldHaveRunningContainers: (podUid) => running.has(podUid),
    mirrorPod: (pod) =>
      isStatic(pod) && mirrored.has(podUid(pod))
        ? testPod({ name: 'mirror', uid: `mirror-${podUid(pod)}` })
        : undefined,
  });
  return { clock, api, running, mirrored, manager, callsMade: () => made, endFaults: () => void left.splice(0) };
}

const annotations = { 'kubernetes.io/config.source': 'file' };
const podsOfNode = (): Pod[] => [
  testPod({ name: 'a' }),
  testPod({ name: 'b' }),
  testPod({ name: 'static', annotations }),
];

const statusOf = (pod: Pod, phase: PodPhase, ready: boolean, message: string): PodStatus => ({
  ...generatePodStatus({
    pod,
    runtime: testRuntimePodStatus({ pod }),
    probes: { isReady: () => ready, isStarted: () => true },
  }),
  phase,
  ...(message !== '' && { message }),
});

describe('the status manager, for every history,', () => {
  it('publishes the last status of every pod, once', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, calls, dispose }) => {
        const { clock, api, running, mirrored, manager, callsMade, endFaults } = world(calls);
        const pods = podsOfNode();
        for (const [index, action, waitMs] of steps) {
          const pod = pods[index]!;
          const uid = podUid(pod);
          switch (action.do) {
            case 'status':
              manager.setPodStatus(pod, statusOf(pod, action.phase, action.ready, action.message));
              break;
            case 'readiness':
              manager.setContainerReadiness(uid, 'containerd://app-0', action.value);
              break;
            case 'startup':
              manager.setContainerStartup(uid, 'containerd://app-0', action.value);
              break;
            case 'running':
              if (action.value) running.add(uid);
              else running.delete(uid);
              break;
            case 'mirror':
              if (action.value) mirrored.add(uid);
              else mirrored.delete(uid);
              break;
            case 'terminate':
              running.delete(uid);
              manager.terminatePod(pod);
              break;
            case 'forget':
              manager.forget(uid);
              break;
            case 'orphan':
              manager.removeOrphaned(new Set(pods.map(podUid).filter((other) => other !== uid)));
              break;
            case 'republish':
              manager.republish(uid);
              break;
            case 'network':
              manager.setReadyToStartContainers(uid);
              break;
            case 'delete':
              pods[index] = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
              break;
          }
          await clock.advance(waitMs);
        }

        // Containers have stopped and mirror pods exist: the next sync of each pod sets an equal status.
        running.clear();
        for (const { pod } of manager.list()) {
          if (isStatic(pod)) mirrored.add(podUid(pod));
          manager.setPodStatus(pod, manager.get(podUid(pod))!);
        }
        await clock.advance(20 * 60_000);
        for (const held of manager.list()) {
          const published = api.get(podUid(held.pod));
          expect(
            sameStatus(published?.status ?? {}, held.status),
            JSON.stringify([published?.status, held.status]),
          ).toBe(true);
          expect([published?.version, published?.finished]).toEqual([held.version, held.finished]);
          expect(published?.mirrorPod?.metadata?.uid).toBe(
            isStatic(held.pod) ? `mirror-${podUid(held.pod)}` : undefined,
          );
        }

        endFaults();
        const before = callsMade();
        for (const { pod, status } of manager.list()) manager.setPodStatus(pod, status);
        await clock.advance(20 * 60_000);
        expect(callsMade()).toBe(before);

        if (dispose) {
          const last = manager.list().map(({ pod, status }) => {
            manager.setPodStatus(pod, { ...status, message: 'last words' });
            return podUid(pod);
          });
          const disposal = manager[Symbol.asyncDispose]();
          await clock.advance(10_000);
          await disposal;
          for (const podUid of last) expect(api.get(podUid)?.status.message).toBe('last words');
        } else {
          await manager[Symbol.asyncDispose]();
        }
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('never publishes a terminal phase while containers may run, nor a ready pod in a terminal phase', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.constantFrom(0, 700)), { maxLength: 25 }), async (steps) => {
        const { clock, running, manager } = world([]);
        const pod = testPod({ name: 'a' });
        const seen: PodStatus[] = [];
        let endTold = false;
        manager.published$.subscribe(({ status }) => {
          seen.push(status);
          endTold ||= ends(status.phase);
        });
        running.add(podUid(pod));
        for (const [action, waitMs] of steps) {
          if (action.do === 'status')
            manager.setPodStatus(pod, statusOf(pod, action.phase, action.ready, action.message));
          else if (action.do === 'readiness') {
            manager.setContainerReadiness(podUid(pod), 'containerd://app-0', action.value);
          }
          await clock.advance(waitMs);
        }
        await clock.advance(60_000);
        expect(endTold).toBe(false);
        running.clear();
        const held = manager.get(podUid(pod));
        if (held !== undefined) manager.setPodStatus(pod, held);
        await clock.advance(60_000);
        expect(endTold).toBe(ends(held?.phase));
        const readiness = seen
          .filter(({ phase }) => ends(phase))
          .flatMap(({ conditions = [] }) =>
            conditions.filter(({ type }) => type === 'Ready' || type === 'ContainersReady'),
          );
        expect(readiness.every(({ status }) => status === 'False')).toBe(true);
        await manager[Symbol.asyncDispose]();
      }),
      { numRuns: 50 },
    );
  });
});
