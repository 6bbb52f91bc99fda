import type { ProbeResultChange } from '@rxlet/agent-api/containers';
import { type Journal, noopJournal } from '@rxlet/agent-api/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { type Labels, type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import type { ProbeRequest } from './probe-runner.ts';
import type { ProbeKind } from './probe-target.ts';
import { createProber, type ProberPorts } from './prober.ts';

import { createScriptedRunner, type ScriptedOutcome } from './scripted-runner.ts';

type Answer = (request: ProbeRequest) => ScriptedOutcome | Promise<ScriptedOutcome>;

/** Creates a prober of an agent that has been up for `agentAgeSeconds`. Statuses follow startup results, as with a status manager. */
async function setUp(answer?: Answer, more: Partial<ProberPorts> & { agentAgeSeconds?: number } = {}) {
  const { agentAgeSeconds = 3600, ...ports } = more;
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const statuses = new Map<string, PodStatus>();
  const runs: string[] = [];
  const changes: ProbeResultChange[] = [];
  const scripted = createScriptedRunner(answer);
  const runner: ProberPorts['runner'] = {
    run(request, signal) {
      runs.push(`${request.kind} at ${String(seconds())}`);
      return scripted.run(request, signal);
    },
  };
  const prober = createProber({
    runner,
    podStatus: (uid) => statuses.get(uid),
    clock,
    random: seededRandom(1),
    events,
    ...ports,
  });
  prober.results$.subscribe((change) => {
    changes.push(change);
    const { podUid, containerId, kind, result } = change;
    if (kind !== 'startup') return;
    const held = statuses.get(podUid)?.containerStatuses ?? [];
    const started = held.map((one) =>
      one.containerID === containerId ? { ...one, started: result === 'success' } : one,
    );
    statuses.set(podUid, { ...statuses.get(podUid), containerStatuses: started });
  });
  await clock.advance(agentAgeSeconds * 1000);
  const originMs = clock.monotonicNow();
  const seconds = (): number => (clock.monotonicNow() - originMs) / 1000;

  const containerStatus = (pod: Pod, name: string, attempt = 0, startedInSeconds = 0): ContainerStatus => ({
    name,
    containerID: `containerd://${String(pod.metadata?.uid)}-${name}-${String(attempt)}`,
    image: '',
    imageID: '',
    ready: false,
    restartCount: attempt,
    state: { running: { startedAt: new Date(clock.now() + startedInSeconds * 1000).toISOString() } },
    started: pod.spec?.containers.find((container) => container.name === name)?.startupProbe === undefined,
  });
  /** Makes the containers of the pod running, as instance `attempt`. */
  const runPod = (pod: Pod, attempt = 0): void => {
    const containerStatuses = pod.spec!.containers.map(({ name }) => containerStatus(pod, name, attempt));
    statuses.set(pod.metadata!.uid!, { phase: 'Running', podIP: '10.0.0.1', containerStatuses });
  };
  /** Adds a pod with these probes whose container has just started. */
  const add = (probes: Partial<Container>, pod: Parameters<typeof testPod>[0] = {}): Pod => {
    const added = testPod({ ...pod, containers: [{ name: 'app', ...probes }] });
    runPod(added);
    prober.addPod(added);
    return added;
  };
  const results = (): string[] => changes.map(({ kind, result }) => `${kind} ${result}`);
  return { clock, prober, events, statuses, runs, changes, results, requests: scripted.requests, runPod, add, seconds };
}

/** Adds a pod with a running sidecar. Its readiness probe fails, its liveness probe succeeds. */
async function setUpSidecar(probes: Partial<Container> = { readinessProbe: every(10) }) {
  const bench = await setUp(({ kind }) => (kind === 'liveness' ? 'success' : 'failure'));
  const { clock, prober, statuses } = bench;
  const pod = testPod({
    initContainers: [{ name: 'proxy', restartPolicy: 'Always', ...probes }],
  });
  const running = { running: { startedAt: new Date(clock.now()).toISOString() } };
  const common = { image: '', imageID: '', ready: false, restartCount: 0, started: true };
  statuses.set(uid, {
    initContainerStatuses: [{ name: 'proxy', containerID: 'containerd://p', state: running, ...common }],
  });
  prober.addPod(pod);
  return bench;
}

const every = (periodSeconds: number, more: Probe = {}): Probe => ({ periodSeconds, failureThreshold: 1, ...more });
const uid = 'uid-web';
const appId = 'containerd://uid-web-app-0';

describe('the journal', () => {
  it('has one entry for each change of a probe, however often it runs', async () => {
    const recorded: unknown[] = [];
    const journal: Journal = {
      ...noopJournal,
      record: (_pod, { subject, attributes }) => void recorded.push(`${subject!} ${String(attributes?.['result'])}`),
    };
    const start = 10_000;
    const { clock, add, seconds } = await setUp(
      () => (seconds() * 1000 >= start && seconds() * 1000 < 2 * start ? 'failure' : 'success'),
      { journal },
    );
    add({ readinessProbe: every(1) });
    await clock.advance(3 * start);
    expect(recorded).toEqual(['readiness success', 'readiness failure', 'readiness success']);
  });
});

describe('the ticks of a probe', () => {
  it('start at once, then follow every period', async () => {
    const { clock, runs, add } = await setUp();
    add({ livenessProbe: every(10) });
    await clock.advance(0);
    expect(runs).toEqual(['liveness at 0']);
    await clock.advance(9999);
    expect(runs).toHaveLength(1);
    await clock.advance(20_001);
    expect(runs).toEqual([0, 10, 20, 30].map((time) => `liveness at ${String(time)}`));
  });

  it('start spread over a period while the agent is younger than a period', async () => {
    const first = async (agentAgeSeconds: number): Promise<number> => {
      const { clock, runs, add, seconds } = await setUp(undefined, {
        agentAgeSeconds,
        random: { next: () => 0.25, hex: () => '' },
      });
      add({ livenessProbe: every(10) });
      await clock.runUntil(() => runs.length === 1, 20_000);
      const began = seconds();
      await clock.runUntil(() => runs.length === 2, 20_000);
      expect(seconds() - began).toBe(10);
      return began;
    };
    expect(await first(0)).toBe(2.5);
    expect(await first(9.999)).toBe(2.5);
    expect(await first(10)).toBe(0);
  });

  it('continue after an exception', async () => {
    let isBroken = false;
    let status: PodStatus = { phase: 'Running', podIP: '10.0.0.1' };
    const podStatus = (): PodStatus => {
      if (isBroken) throw new Error('broken');
      return status;
    };
    const { clock, runs, add, prober } = await setUp(undefined, { podStatus });
    const pod = add({ livenessProbe: every(10) });
    const startedAt = new Date(clock.now()).toISOString();
    const image = { image: '', imageID: '' };
    const app = { name: 'app', containerID: 'containerd://1', ...image, ready: true, restartCount: 0, started: true };
    status = { ...status, containerStatuses: [{ ...app, state: { running: { startedAt } } }] };
    await clock.advance(10_000);
    isBroken = true;
    await clock.advance(15_000);
    isBroken = false;
    await clock.advance(10_000);
    expect(runs).toEqual([0, 10, 30].map((time) => `liveness at ${String(time)}`));
    prober.removePod(pod.metadata!.uid!);
    expect(clock.pendingTimers).toBe(0);
  });

  it('wait for the initial delay', async () => {
    const { clock, runs, add } = await setUp();
    add({
      livenessProbe: every(10, { initialDelaySeconds: 20 }),
      readinessProbe: every(10, { initialDelaySeconds: 21 }),
    });
    await clock.advance(30_000);
    expect(runs).toEqual(['liveness at 20', 'readiness at 30', 'liveness at 30']);
  });

  it('wait no longer than the initial delay after the wall clock was set back', async () => {
    const { clock, runs, add } = await setUp();
    add({ livenessProbe: every(10, { initialDelaySeconds: 20 }) });
    await clock.advance(5000);
    clock.setWallClock(clock.now() - 3_600_000);
    await clock.advance(20_000);
    expect(runs).toEqual(['liveness at 20']);
  });

  it('wait until the container exists', async () => {
    const { clock, runs, prober, runPod, results } = await setUp();
    const pod = testPod({ containers: [{ livenessProbe: every(10) }] });
    prober.addPod(pod);
    await clock.advance(15_000);
    expect([runs, results()]).toEqual([[], []]);
    runPod(pod);
    await clock.advance(5000);
    expect([runs, results()]).toEqual([['liveness at 20'], ['liveness success']]);
  });

  it('stay on their grid, and make up for one missed tick', async () => {
    const { clock, runs, add } = await setUp(async ({ kind }) => {
      // Takes 15 s the first time.
      if (runs.length === 1 && kind === 'liveness') await delay(15_000);
      return 'success' as const;
    });
    const delay = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(ms, resolve));
    add({ livenessProbe: every(10) });
    await clock.advance(40_000);
    expect(runs).toEqual([0, 15, 20, 30, 40].map((time) => `liveness at ${String(time)}`));
  });

  it('equal those of a ticker that buffers one tick', async () => {
    const durations = fc.array(fc.integer({ min: 0, max: 35 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(durations, async (seconds) => {
        const left = [...seconds];
        const { clock, runs, add } = await setUp(async () => {
          const ms = (left.shift() ?? 0) * 1000;
          if (ms > 0) await new Promise<void>((resolve) => void clock.setTimer(ms, resolve));
          return 'success' as const;
        });
        add({ livenessProbe: every(10) });
        await clock.runUntil(() => runs.length > seconds.length);
        const expected: number[] = [];
        let [now, tick] = [0, 10];
        for (const duration of seconds) {
          expected.push(now);
          now += duration;
          const isKept = tick <= now;
          while (tick <= now) tick += 10;
          if (isKept) continue;
          now = tick;
          tick += 10;
        }
        expect(runs.slice(0, -1)).toEqual(expected.map((time) => `liveness at ${String(time)}`));
      }),
      { numRuns: 50 },
    );
  });

  it('stay on time beside another probe that hangs', async () => {
    const { clock, runs, add, prober } = await setUp(({ kind }) => (kind === 'liveness' ? 'hang' : 'success'));
    add({ livenessProbe: every(10), readinessProbe: every(10) });
    await clock.advance(30_000);
    expect(runs.filter((run) => run.startsWith('liveness'))).toHaveLength(1);
    expect(runs.filter((run) => run.startsWith('readiness'))).toHaveLength(4);
    expect(prober.isReady(appId)).toBe(true);
  });
});

describe('thresholds', () => {
  it('delay a result until it is consecutive', async () => {
    const { clock, add, changes, results } = await setUp(({ kind }) => (kind === 'liveness' ? 'failure' : 'success'));
    add({
      livenessProbe: every(10, { failureThreshold: 3 }),
      readinessProbe: every(10, { successThreshold: 2 }),
    });
    await clock.advance(9999);
    expect(results()).toEqual(['readiness failure', 'liveness success']);
    await clock.advance(1);
    expect(results().slice(2)).toEqual(['readiness success']);
    await clock.advance(9999);
    expect(results()).toHaveLength(3);
    await clock.advance(1);
    expect(changes.at(-1)).toEqual({
      podUid: uid,
      container: 'app',
      containerId: appId,
      kind: 'liveness',
      result: 'failure',
    });
  });

  it('count only consecutive results', async () => {
    const series = ['failure', 'failure', 'success', 'failure', 'failure', 'failure'] as const;
    let next = 0;
    const { clock, add, results } = await setUp(() => series[next++] ?? 'success');
    add({ livenessProbe: every(10, { failureThreshold: 3 }) });
    await clock.advance(49_999);
    expect(results()).toEqual(['liveness success']);
    await clock.advance(1);
    expect(results()).toEqual(['liveness success', 'liveness failure']);
  });
});

describe('a container', () => {
  it('is not probed after a liveness failure until it is restarted', async () => {
    let passes = false;
    const { clock, add, runPod, runs, results, prober } = await setUp(() => (passes ? 'success' : 'failure'));
    const pod = add({ livenessProbe: every(10) });
    await clock.advance(30_000);
    expect(runs).toEqual(['liveness at 0']);
    expect([...prober.livenessResults()]).toEqual([['uid-web-app-0', 'failure']]);
    passes = true;
    runPod(pod, 1);
    await clock.advance(9999);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toEqual(['liveness at 0', 'liveness at 40']);
    expect([...prober.livenessResults()]).toEqual([['uid-web-app-1', 'success']]);
    expect(results()).toEqual(['liveness success', 'liveness failure', 'liveness success']);
  });

  it('is not affected by a run that began before its restart', async () => {
    let lasts = true;
    const { clock, add, runPod, runs, changes, prober } = await setUp(async () => {
      if (!lasts) return 'success';
      await new Promise<void>((resolve) => void clock.setTimer(5000, resolve));
      return 'failure';
    });
    const pod = add({ livenessProbe: every(10) });
    await clock.advance(2000);
    runPod(pod, 1);
    lasts = false;
    await clock.advance(7999);
    expect(changes.map(({ containerId, result }) => [containerId, result])).toEqual([
      ['containerd://uid-web-app-0', 'success'],
      ['containerd://uid-web-app-0', 'failure'],
    ]);
    expect([...prober.livenessResults()]).toEqual([['uid-web-app-0', 'failure']]);
    await clock.advance(1);
    expect([...prober.livenessResults()]).toEqual([['uid-web-app-1', 'success']]);
    expect(runs).toEqual(['liveness at 0', 'liveness at 10']);
  });

  it('is probed for startup first, then for readiness and liveness', async () => {
    let starts = false;
    const { clock, add, runs, prober, results } = await setUp(({ kind }) =>
      kind === 'startup' && !starts ? 'failure' : 'success',
    );
    add({
      startupProbe: every(5, { failureThreshold: 30 }),
      livenessProbe: every(10),
      readinessProbe: every(10),
    });
    await clock.advance(12_000);
    expect(runs).toEqual(['startup at 0', 'startup at 5', 'startup at 10']);
    expect([prober.isStarted(appId), prober.isReady(appId)]).toEqual([false, false]);
    expect(results()).toEqual(['startup unknown', 'readiness failure', 'liveness success']);
    starts = true;
    await clock.advance(30_000);
    expect(runs.slice(3)).toEqual([
      'startup at 15',
      'readiness at 20',
      'liveness at 20',
      'readiness at 30',
      'liveness at 30',
      'readiness at 40',
      'liveness at 40',
    ]);
    expect([prober.isStarted(appId), prober.isReady(appId)]).toEqual([true, true]);
  });

  it('fails startup after the failure threshold', async () => {
    const { clock, add, prober, seconds } = await setUp(() => 'failure');
    add({ startupProbe: every(10, { failureThreshold: 30 }) });
    await clock.runUntil(() => prober.startupResults().get('uid-web-app-0') === 'failure');
    expect(seconds()).toBe(290);
  });

  it('is not probed after its final exit, and its results are removed', async () => {
    const { clock, add, statuses, results, prober, runPod } = await setUp();
    const pod = add({ readinessProbe: every(10) }, { restartPolicy: 'Never' });
    await clock.advance(0);
    const [status] = statuses.get(uid)!.containerStatuses!;
    statuses.set(uid, { containerStatuses: [{ ...status!, state: { terminated: { exitCode: 1 } } }] });
    await clock.advance(10_000);
    expect(results()).toEqual(['readiness failure', 'readiness success', 'readiness failure']);
    expect([prober.readinessResults().size, clock.pendingTimers]).toEqual([0, 0]);
    // Each sync of the pod adds it again. A result that triggered a sync must not be repeated by it.
    prober.addPod(pod);
    await clock.advance(60_000);
    expect(results()).toHaveLength(3);
    runPod(pod, 1);
    prober.addPod(pod);
    await clock.advance(0);
    expect(results().slice(3)).toEqual(['readiness failure', 'readiness success']);
  });
});

describe('updateStatus', () => {
  it('probes a started container that is not ready at once, then every period', async () => {
    let ready = false;
    const { clock, add, runs, prober } = await setUp(() => (ready ? 'success' : 'failure'));
    add({ readinessProbe: every(10), livenessProbe: every(60, { failureThreshold: 99 }) });
    await clock.advance(3000);
    ready = true;
    prober.updateStatus(uid);
    await clock.advance(0);
    expect(prober.isReady(appId)).toBe(true);
    await clock.advance(20_000);
    expect(runs).toEqual([
      'readiness at 0',
      'liveness at 0',
      ...[3, 13, 23].map((time) => `readiness at ${String(time)}`),
    ]);
    prober.updateStatus(uid);
    await clock.advance(0);
    expect(runs).toHaveLength(5);
  });

  it('probes sidecars too', async () => {
    const { clock, prober, runs } = await setUpSidecar();
    await clock.advance(4000);
    prober.updateStatus(uid);
    await clock.advance(0);
    expect(runs).toEqual(['readiness at 0', 'readiness at 4']);
  });

  it('changes nothing for a container that is not running', async () => {
    const { clock, add, runs, prober, runPod, statuses } = await setUp(() => 'failure');
    const pod = add({ readinessProbe: every(10) });
    await clock.advance(3000);
    const [status] = statuses.get(uid)!.containerStatuses!;
    statuses.set(uid, { containerStatuses: [{ ...status!, state: { waiting: {} } }] });
    prober.updateStatus(uid);
    await clock.advance(1000);
    runPod(pod);
    await clock.advance(10_000);
    expect(runs).toEqual(['readiness at 0', 'readiness at 10']);
  });

  it('changes nothing for a container that has not started', async () => {
    const { clock, add, runs, prober } = await setUp(({ kind }) =>
      kind === 'startup' && clock.now() < startsMs ? 'failure' : 'success',
    );
    const startsMs = clock.now() + 9000;
    add({ readinessProbe: every(10), startupProbe: every(3, { failureThreshold: 99 }) });
    await clock.advance(3500);
    prober.updateStatus(uid);
    prober.updateStatus('uid-unknown');
    await clock.advance(10_000);
    expect(runs.filter((run) => run.startsWith('readiness'))).toEqual(['readiness at 10']);
  });

  it.each([
    ['startup', false],
    ['readiness', true],
  ] as const)('runs the %s probe at once of a container that is older than the agent', async (kind, started) => {
    const { clock, runs, prober, statuses } = await setUp(undefined, {
      agentAgeSeconds: 0,
      random: { next: () => 0.5, hex: () => '' },
    });
    const pod = testPod({ containers: [{ name: 'app', [`${kind}Probe`]: every(10), livenessProbe: every(10) }] });
    const common = { image: '', imageID: '', ready: false, restartCount: 0, started, name: 'app' };
    const startedAt = new Date(clock.now() - 10_001).toISOString();
    const containerStatuses = [{ ...common, containerID: appId, state: { running: { startedAt } } }];
    statuses.set(uid, { phase: 'Running', containerStatuses });
    prober.addPod(pod);
    await clock.advance(0);
    expect(runs).toEqual([`${kind} at 0`]);
    await clock.advance(9999);
    expect(runs).toEqual([`${kind} at 0`, 'liveness at 5']);
  });

  it('does not advance the first tick, which is spread over a period', async () => {
    const { clock, add, runs, prober } = await setUp(undefined, {
      agentAgeSeconds: 0,
      random: { next: () => 0.5, hex: () => '' },
    });
    add({ readinessProbe: every(10) });
    prober.updateStatus(uid);
    await clock.advance(6000);
    expect(runs).toEqual(['readiness at 5']);
  });

  it('requests one more tick during a run', async () => {
    let end: ((outcome: 'failure') => void) | undefined;
    const { clock, add, runs, prober } = await setUp(() => new Promise((resolve) => (end = resolve)));
    add({ readinessProbe: every(10) });
    await clock.advance(4000);
    prober.updateStatus(uid);
    prober.updateStatus(uid);
    await clock.advance(1000);
    expect(runs).toEqual(['readiness at 0']);
    end?.('failure');
    await clock.advance(0);
    expect(runs).toEqual(['readiness at 0', 'readiness at 5']);
    end?.('failure');
    await clock.advance(10_000);
    expect(runs).toEqual(['readiness at 0', 'readiness at 5', 'readiness at 15']);
  });
});

describe('termination of a pod', () => {
  it('stops liveness and startup probes, while readiness probes continue', async () => {
    const { clock, add, runs, prober, runPod } = await setUp();
    const pod = add({ readinessProbe: every(10), livenessProbe: every(10), startupProbe: every(10) });
    await clock.advance(15_000);
    prober.stopLivenessAndStartup(uid);
    expect([prober.livenessResults().size, prober.startupResults().size, prober.readinessResults().size]).toEqual([
      0, 0, 1,
    ]);
    runs.length = 0;
    await clock.advance(15_000);
    expect(runs).toEqual(['readiness at 20', 'readiness at 30']);
    prober.removePod(uid);
    runPod(pod, 1);
    await clock.advance(60_000);
    expect([runs.length, clock.pendingTimers, prober.readinessResults().size]).toEqual([2, 0, 0]);
  });

  it('stops no probe of a sidecar, which runs until the other containers have stopped', async () => {
    const { clock, runs, prober } = await setUpSidecar({ livenessProbe: every(10), readinessProbe: every(10) });
    await clock.advance(5000);
    prober.stopLivenessAndStartup(uid);
    await clock.advance(10_000);
    expect(runs).toEqual(['readiness at 0', 'liveness at 0', 'readiness at 10', 'liveness at 10']);
    prober.removePod(uid);
    await clock.advance(60_000);
    expect([runs.length, clock.pendingTimers]).toEqual([4, 0]);
  });

  it('follows from the deletion timestamp too', async () => {
    const { clock, add, runs, prober } = await setUp();
    const pod = add({ readinessProbe: every(10), livenessProbe: every(10) });
    await clock.advance(5000);
    prober.addPod({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    await clock.advance(10_000);
    expect(runs).toEqual(['readiness at 0', 'liveness at 0', 'readiness at 10']);
  });

  it('ignores runs in flight', async () => {
    const { clock, add, events, results, prober } = await setUp(
      () => new Promise((resolve) => void clock.setTimer(1000, () => resolve('failure'))),
    );
    add({ livenessProbe: every(10) });
    await clock.advance(500);
    prober.removePod(uid);
    await clock.advance(60_000);
    expect([results(), events.list(), clock.pendingTimers]).toEqual([['liveness success'], [], 0]);
  });

  it('ignores results at the same instant', async () => {
    const runner: ProberPorts['runner'] = {
      run() {
        const outcome = Promise.resolve({ result: 'failure', output: 'late' } as const);
        void outcome.then(() => probing.prober.removePod(uid));
        return outcome;
      },
    };
    const probing = await setUp(undefined, { runner });
    probing.add({ livenessProbe: every(10) });
    await probing.clock.advance(60_000);
    expect([probing.results(), probing.events.list(), probing.clock.pendingTimers]).toEqual([
      ['liveness success'],
      [],
      0,
    ]);
  });

  it('applies to all pods that are not retained', async () => {
    const { clock, add, runs, prober, requests } = await setUp();
    for (const name of ['a', 'b', 'c']) add({ livenessProbe: every(10) }, { name });
    await clock.advance(0);
    prober.retainPods(new Set(['uid-b', 'uid-z']));
    runs.length = 0;
    await clock.advance(10_000);
    expect([runs.length, requests.at(-1)?.pod.metadata?.name]).toEqual([1, 'b']);
  });
});

describe('a prober', () => {
  it('probes each container once, however often its pod is added', async () => {
    const { clock, add, prober, runs } = await setUp();
    const pod = add({ livenessProbe: every(10) });
    await clock.advance(5000);
    prober.addPod(pod);
    await clock.advance(5000);
    expect(runs).toEqual(['liveness at 0', 'liveness at 10']);
  });

  it('leaves nothing behind after disposal, and ignores later pods', async () => {
    const { clock, add, prober, runs } = await setUp(({ kind }) => (kind === 'liveness' ? 'hang' : 'success'));
    const pod = add({ livenessProbe: every(10), readinessProbe: every(10) });
    let completed = false;
    prober.results$.subscribe({ complete: () => (completed = true) });
    await clock.advance(1000);
    await prober[Symbol.asyncDispose]();
    prober.addPod(pod);
    prober.updateStatus(uid);
    await clock.advance(60_000);
    expect([completed, clock.pendingTimers, runs.length]).toEqual([true, 0, 2]);
  });

  it('is disposed of even when a runner ignores its signal', async () => {
    const { clock, add, prober } = await setUp(() => new Promise<never>(() => undefined));
    add({ livenessProbe: every(10) });
    await clock.advance(0);
    await prober[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('supports changes by subscribers of its results', async () => {
    const { clock, add, prober, runs, statuses } = await setUp();
    prober.results$.subscribe(({ podUid }) => prober.removePod(podUid));
    add({ livenessProbe: every(10), readinessProbe: every(10) });
    // A new container that has ended already causes two changes at once.
    const [status] = statuses.get(uid)!.containerStatuses!;
    statuses.set(uid, { containerStatuses: [{ ...status!, state: { terminated: { exitCode: 1 } } }] });
    await clock.advance(60_000);
    const results = [prober.livenessResults().size, prober.readinessResults().size];
    expect([runs, clock.pendingTimers, results]).toEqual([[], 0, [0, 0]]);
  });

  it('returns immutable snapshots', async () => {
    const { clock, add, prober } = await setUp(() => 'failure');
    const before = prober.livenessResults();
    add({ livenessProbe: every(10, { failureThreshold: 2 }) });
    await clock.advance(0);
    const during = prober.livenessResults();
    await clock.advance(10_000);
    expect([before.size, during.get('uid-web-app-0'), prober.livenessResults().get('uid-web-app-0')]).toEqual([
      0,
      'success',
      'failure',
    ]);
    expect([prober.isReady(appId), prober.isStarted(appId)]).toEqual([undefined, undefined]);
  });

  it('passes no empty IP to a runner', async () => {
    const { clock, add, requests, statuses } = await setUp();
    add({ readinessProbe: every(10) });
    statuses.set(uid, { ...statuses.get(uid), podIP: '' });
    await clock.advance(0);
    expect(requests.map(({ podIp }) => podIp)).toEqual([undefined]);
  });

  it('passes pod, container, id, timeout and IP to a runner', async () => {
    const { clock, add, requests } = await setUp();
    const probe = every(10, { timeoutSeconds: 4 });
    const pod = add({ readinessProbe: probe });
    await clock.advance(0);
    expect(requests).toEqual([
      {
        kind: 'readiness',
        pod,
        container: pod.spec?.containers[0],
        containerId: 'uid-web-app-0',
        probe,
        timeoutMs: 4000,
        podIp: '10.0.0.1',
      },
    ]);
  });
});

describe('events', () => {
  const list = (log: ReturnType<typeof createEventLog>) =>
    log.list().map(({ object, type, reason, message }) => [object.fieldPath, type, reason, message]);

  it('report each failure and each warning', async () => {
    const { clock, add, events, prober } = await setUp(({ kind }) => (kind === 'readiness' ? 'warning' : 'failure'));
    add({ readinessProbe: every(10), livenessProbe: every(10, { failureThreshold: 3 }) });
    await clock.advance(0);
    expect(list(events)).toEqual([
      ['spec.containers{app}', 'Warning', 'ProbeWarning', 'Readiness probe warning: scripted warning'],
      ['spec.containers{app}', 'Warning', 'Unhealthy', 'Liveness probe failed: scripted failure'],
    ]);
    expect(prober.isReady(appId)).toBe(true);
  });

  it('report runs without a result after three attempts, without counting them', async () => {
    const { clock, add, events, requests, prober } = await setUp(() => (requests.length === 4 ? 'success' : 'error'));
    add({ startupProbe: every(10) });
    await clock.advance(0);
    expect(requests).toHaveLength(3);
    expect(list(events)).toEqual([
      [
        'spec.containers{app}',
        'Warning',
        'Unhealthy',
        'Startup probe errored and resulted in unknown state: scripted error',
      ],
    ]);
    expect(prober.startupResults().get('uid-web-app-0')).toBe('unknown');
    await clock.advance(10_000);
    expect(requests).toHaveLength(4);
    expect(prober.isStarted(appId)).toBe(true);
  });

  it('refer to sidecars by their field path', async () => {
    const { clock, events } = await setUpSidecar();
    await clock.advance(0);
    expect(list(events)).toEqual([
      ['spec.initContainers{proxy}', 'Warning', 'Unhealthy', 'Readiness probe failed: scripted failure'],
    ]);
  });
});

describe('metrics', () => {
  it('count results, measure successes, and are removed with the probe', async () => {
    const series = new Map<string, number>();
    const key = (name: string, labels: Labels | undefined): string =>
      `${name} ${JSON.stringify(Object.values(labels ?? {}).sort())}`;
    const removable = (name: string) => ({
      inc: (labels?: Labels) => void series.set(key(name, labels), (series.get(key(name, labels)) ?? 0) + 1),
      observe: (value: number, labels?: Labels) => void series.set(key(name, labels), value),
      remove: (labels: Labels) => void series.delete(key(name, labels)),
    });
    const metrics: Metrics = {
      ...noopMetrics,
      counter: ({ name }) => removable(name),
      histogram: ({ name }) => removable(name),
    };
    let passes = true;
    const { clock, add, prober } = await setUp(
      async () => {
        await new Promise<void>((resolve) => void clock.setTimer(500, resolve));
        return passes ? 'success' : 'failure';
      },
      { metrics },
    );
    add({ readinessProbe: every(10) });
    await clock.advance(15_000);
    passes = false;
    await clock.advance(10_000);
    expect([...series]).toEqual([
      [key('prober_probe_total', { a: 'Readiness', b: 'successful', c: 'app', d: 'web', e: 'default', f: uid }), 2],
      [key('prober_probe_duration_seconds', { a: 'Readiness', b: 'app', c: 'web', d: 'default' }), 0.5],
      [key('prober_probe_total', { a: 'Readiness', b: 'failed', c: 'app', d: 'web', e: 'default', f: uid }), 1],
    ]);
    prober.removePod(uid);
    expect(series.size).toBe(0);
  });
});

describe('an hour of 110 pods with three probes each', () => {
  it('takes seconds of real time', async () => {
    const counts: Record<ProbeKind, number> = { liveness: 0, readiness: 0, startup: 0 };
    const { clock, add, prober } = await setUp(({ kind }) => {
      counts[kind] += 1;
      return 'success';
    });
    for (let index = 0; index < 110; index += 1) {
      add(
        { startupProbe: every(10), livenessProbe: every(10), readinessProbe: every(10) },
        { name: `p${String(index)}` },
      );
    }
    await clock.advance(3_600_000 - 1);
    // Startup succeeds in the first tick, before the other two probes. Each of them has 360 ticks, at 0, 10, … 3590 s.
    expect(counts).toEqual({ startup: 110, readiness: 110 * 359, liveness: 110 * 359 });
    await prober[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
