import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodStatus, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { countResult, findContainerStatus, newProbeState, probeStep, type ProbeState } from './probe-step.ts';
import { type ProbeKind, type ProbeTarget, probeTargets } from './probe-target.ts';

const startMs = Date.UTC(2026, 0, 1);
const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString().replace('.000Z', 'Z');
const running = (more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'app',
  containerID: 'containerd://c1',
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { running: { startedAt: at(0) } },
  started: true,
  ...more,
});
const statusOf = (...containerStatuses: ContainerStatus[]): PodStatus => ({ phase: 'Running', containerStatuses });
const sidecarStatusOf = (...initContainerStatuses: ContainerStatus[]): PodStatus => ({
  phase: 'Running',
  initContainerStatuses,
});

function targetOf(kind: ProbeKind, probe: Probe = {}, pod: Parameters<typeof testPod>[0] = {}): ProbeTarget {
  const container = { ...pod.containers?.[0], [`${kind}Probe`]: probe };
  const target = probeTargets(testPod({ ...pod, containers: [container] }))[0];
  if (target === undefined) throw new Error('no probe');
  return target;
}

function sidecarOf(kind: ProbeKind): ProbeTarget {
  const sidecar = { restartPolicy: 'Always' as const, [`${kind}Probe`]: {} };
  return probeTargets(testPod({ initContainers: [sidecar], containers: [{ name: 'other' }] }))[0]!;
}

/** Runs one tick of a probe, `seconds` after the agent and (by default) the container started. */
function tick(target: ProbeTarget, status: PodStatus | undefined, state: ProbeState = newProbeState, seconds = 0) {
  const elapsedMs = seconds * 1000;
  return probeStep(target, state, {
    status,
    nowMs: startMs + elapsedMs,
    monotonicMs: elapsedMs,
    agentStartMs: startMs,
  });
}

const known: ProbeState = { ...newProbeState, containerId: 'containerd://c1' };
const kinds: readonly ProbeKind[] = ['liveness', 'readiness', 'startup'];

describe('probeStep', () => {
  it('waits while there is no container to probe', () => {
    const target = targetOf('readiness');
    const nothing = { state: newProbeState, changes: [], next: 'wait' };
    expect(tick(target, undefined)).toEqual(nothing);
    expect(tick(target, { phase: 'Pending' })).toEqual(nothing);
    expect(tick(target, statusOf(running({ name: 'other' })))).toEqual(nothing);
    expect(tick(target, statusOf(running({ containerID: '' })))).toEqual(nothing);
  });

  it.each(['Failed', 'Succeeded'] as const)('stops in a terminal phase: %s', (phase) => {
    expect(tick(targetOf('liveness'), { ...statusOf(running()), phase }).next).toBe('stop');
  });

  it.each([
    ['liveness', 'success', true],
    ['readiness', 'failure', true],
    ['startup', 'unknown', false],
  ] as const)('begins %s with %s, and probes', (kind, result, started) => {
    expect(tick(targetOf(kind), statusOf(running({ started })))).toEqual({
      state: known,
      changes: [{ containerId: 'containerd://c1', result }],
      next: 'probe',
    });
  });

  it('publishes no initial result again for the same container', () => {
    expect(tick(targetOf('liveness'), statusOf(running()), known)).toEqual({
      state: known,
      changes: [],
      next: 'probe',
    });
  });

  it('removes the result of the previous container, and leaves hold', () => {
    const held: ProbeState = {
      containerId: 'containerd://c0',
      seenMs: 0,
      onHold: true,
      lastResult: 'failure',
      resultRun: 0,
    };
    expect(tick(targetOf('liveness'), statusOf(running()), held)).toEqual({
      state: { ...held, containerId: 'containerd://c1', onHold: false },
      changes: [
        { containerId: 'containerd://c0', result: undefined },
        { containerId: 'containerd://c1', result: 'success' },
      ],
      next: 'probe',
    });
  });

  it('waits on hold in any state of the container', () => {
    const held = { ...known, onHold: true };
    const exited = running({ state: { terminated: { exitCode: 1 } } });
    for (const status of [running(), exited]) {
      expect(tick(targetOf('liveness'), statusOf(status), held)).toEqual({ state: held, changes: [], next: 'wait' });
    }
  });

  describe('for a container that is not running', () => {
    const exited = statusOf(running({ state: { terminated: { exitCode: 0 } } }));
    const failed = [{ containerId: 'containerd://c1', result: 'failure' }];

    it('fails, and continues while the container may run again', () => {
      const next = (target: ProbeTarget, status = exited) => tick(target, status, known).next;
      expect(tick(targetOf('liveness'), exited, known)).toEqual({ state: known, changes: failed, next: 'wait' });
      expect(next(targetOf('readiness', {}, { restartPolicy: 'OnFailure' }))).toBe('wait');
      expect(next(targetOf('readiness', {}, { restartPolicy: 'Never' }))).toBe('stop');
      const waiting = statusOf(running({ state: { waiting: {} } }));
      expect(next(targetOf('readiness', {}, { restartPolicy: 'Never' }), waiting)).toBe('wait');
      expect(next(sidecarOf('readiness'), sidecarStatusOf(running({ state: { terminated: { exitCode: 1 } } })))).toBe(
        'wait',
      );
    });

    it.each(['liveness', 'startup'] as const)('has no result of a %s probe before the container runs', (kind) => {
      const created = statusOf(running({ state: { waiting: {} }, started: false }));
      expect(tick(targetOf(kind), created, known)).toEqual({ state: known, changes: [], next: 'wait' });
    });

    it('applies the restart rules of containers', () => {
      const withRule = (action: 'Restart' | 'RestartAllContainers') =>
        targetOf(
          'readiness',
          {},
          {
            restartPolicy: 'Never',
            containers: [
              {
                restartPolicy: 'Never',
                restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [3] } }],
              },
            ],
          },
        );
      expect(tick(withRule('Restart'), exited, known).next).toBe('wait');
      expect(tick(withRule('RestartAllContainers'), exited, known).next).toBe('wait');
      const own = { containers: [{ restartPolicy: 'Never' as const }] };
      expect(tick(targetOf('readiness', {}, own), exited, known).next).toBe('stop');
    });
  });

  it('succeeds for a terminating pod, and continues only with readiness', () => {
    const pod = { metadata: { deletionTimestamp: at(0) } };
    const deleted = (kind: ProbeKind) => tick(targetOf(kind, {}, pod), statusOf(running()), known);
    for (const kind of ['liveness', 'startup'] as const) {
      expect(deleted(kind)).toMatchObject({ changes: [{ result: 'success' }], next: 'stop' });
    }
    expect(deleted('readiness').next).toBe('probe');
  });

  it.each([
    [4, 0, 'wait'],
    [4.999, 0, 'wait'],
    [5, 0, 'probe'],
    [7.5, 3, 'wait'],
    [8, 3, 'probe'],
  ])(
    'waits for whole seconds since the start of the container: at %d s, started at %d s: %s',
    (seconds, since, next) => {
      const target = targetOf('readiness', { initialDelaySeconds: 5 });
      const status = statusOf(running({ state: { running: { startedAt: at(since) } } }));
      expect(tick(target, status, { ...known, seenMs: since * 1000 }, seconds).next).toBe(next);
    },
  );

  it('probes without an initial delay, even when the clock was set back', () => {
    const status = statusOf(running({ state: { running: { startedAt: at(3600) } } }));
    expect(tick(targetOf('readiness'), status, known).next).toBe('probe');
  });

  it.each([
    ['startup', true, 'wait'],
    ['startup', false, 'probe'],
    ['startup', undefined, 'probe'],
    ['liveness', true, 'probe'],
    ['liveness', false, 'wait'],
    ['readiness', true, 'probe'],
    ['readiness', false, 'wait'],
    ['readiness', undefined, 'wait'],
  ] as const)('%s when started is %s: %s', (kind, started, next) => {
    const { started: _started, ...rest } = running();
    const status = statusOf(started === undefined ? rest : { ...rest, started });
    expect(tick(targetOf(kind), status, known).next).toBe(next);
  });

  describe('after a restart of the agent', () => {
    const since = (seconds: number, more: Partial<ContainerStatus> = {}): ContainerStatus =>
      running({ state: { running: { startedAt: at(seconds) } }, ...more });

    it.each(kinds)('publishes no initial result for an older container: %s', (kind) => {
      const not = { started: false, ready: false };
      expect(tick(targetOf(kind), statusOf(since(-11, not))).changes).toEqual([]);
      expect(tick(targetOf(kind), statusOf(since(-10, not))).changes).toHaveLength(1);
    });

    it.each<[ProbeKind, Partial<ContainerStatus>]>([
      ['readiness', { started: true, ready: true }],
      ['startup', { started: true, ready: false }],
    ])(
      'keeps the state reported by the previous agent, regardless of the age of the container: %s',
      (kind, reported) => {
        expect(tick(targetOf(kind), statusOf(since(0, reported))).changes).toEqual([]);
      },
    );

    it('counts a started sidecar as having passed its startup probe', () => {
      const changes = (started: boolean, kind: ProbeKind) =>
        tick(sidecarOf(kind), sidecarStatusOf(since(-11, { started }))).changes;
      expect(changes(true, 'startup')).toEqual([{ containerId: 'containerd://c1', result: 'success' }]);
      expect(changes(false, 'startup')).toEqual([]);
      expect(changes(true, 'liveness')).toEqual([]);
    });
  });
});

describe('countResult', () => {
  /** Returns the results published for a series of results, `-` for none. */
  function published(kind: ProbeKind, probe: Probe, series: string): string {
    const target = targetOf(kind, probe);
    let state = known;
    return [...series]
      .map((letter) => {
        const counted = countResult(target, state, letter === 's' ? 'success' : 'failure');
        ({ state } = counted);
        return counted.changes[0]?.result?.[0] ?? '-';
      })
      .join('');
  }

  it('publishes a result from its threshold on', () => {
    const probe = { successThreshold: 2, failureThreshold: 3 };
    expect(published('readiness', probe, 'ssffsfffssfsss')).toBe('-s-----f-s--ss');
    expect(published('readiness', { failureThreshold: 1 }, 'sffs')).toBe('sffs');
    expect(published('readiness', {}, 'ffffs')).toBe('--ffs');
  });

  it('holds after a liveness failure and after any startup result', () => {
    const hold = (kind: ProbeKind, result: 'success' | 'failure') =>
      countResult(targetOf(kind, { failureThreshold: 1 }), known, result).state;
    expect(hold('liveness', 'failure')).toEqual({ ...known, onHold: true, lastResult: 'failure', resultRun: 0 });
    expect(hold('startup', 'failure').onHold).toBe(true);
    expect(hold('startup', 'success').onHold).toBe(true);
    expect(hold('liveness', 'success').onHold).toBe(false);
    expect(hold('readiness', 'failure').onHold).toBe(false);
    const below = countResult(targetOf('startup', { failureThreshold: 2 }), known, 'failure').state;
    expect(below).toEqual({ ...known, lastResult: 'failure', resultRun: 1 });
  });

  it('agrees with a model that counts the end of the history', () => {
    const history = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
    const threshold = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(history, threshold, threshold, (passes, successThreshold, failureThreshold) => {
        const target = targetOf('readiness', { successThreshold, failureThreshold });
        let state = known;
        let held: string = 'failure';
        passes.forEach((passed, index) => {
          const counted = countResult(target, state, passed ? 'success' : 'failure');
          ({ state } = counted);
          held = counted.changes.at(-1)?.result ?? held;
          // The model: a result holds from the end of the last sufficiently long run.
          let expected = 'failure';
          for (let end = 0; end <= index; end += 1) {
            const length = passes[end] === true ? successThreshold : failureThreshold;
            const run = passes.slice(Math.max(0, end + 1 - length), end + 1);
            if (run.length === length && run.every((value) => value === passes[end])) {
              expected = passes[end] === true ? 'success' : 'failure';
            }
          }
          expect(held).toBe(expected);
        });
      }),
    );
  });
});

describe('probeTargets', () => {
  it('include regular containers and sidecars, with defaults', () => {
    const probe: Probe = { exec: { command: ['true'] } };
    const pod: Pod = testPod({
      initContainers: [
        { name: 'init', livenessProbe: probe },
        { name: 'sidecar', restartPolicy: 'Always', startupProbe: { ...probe, periodSeconds: 0 } },
      ],
      containers: [{ livenessProbe: probe, readinessProbe: { ...probe, periodSeconds: 7, timeoutSeconds: 2 } }],
    });
    const timing = {
      initialDelaySeconds: 0,
      periodMs: 10_000,
      timeoutMs: 1000,
      successThreshold: 1,
      failureThreshold: 3,
    };
    expect(probeTargets(pod).map(({ kind, container, timing }) => [container.name, kind, timing])).toEqual([
      ['sidecar', 'startup', timing],
      ['app', 'readiness', { ...timing, periodMs: 7000, timeoutMs: 2000 }],
      ['app', 'liveness', timing],
    ]);
  });
});

describe('findContainerStatus', () => {
  it('looks at each container of a status once, however many probes a pod has', () => {
    let reads = 0;
    const names = Array.from({ length: 100 }, (_, index) => `c${String(index)}`);
    const containers = names.map((name) =>
      Object.defineProperty(running(), 'name', {
        get() {
          reads += 1;
          return name;
        },
      }),
    );
    const status = statusOf(...containers);
    expect(names.map((name) => findContainerStatus(status, name))).toEqual(containers);
    expect(findContainerStatus(status, 'other')).toBeUndefined();
    expect(reads).toBe(100);
  });
});
