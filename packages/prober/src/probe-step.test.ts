import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodStatus, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { countResult, newProbeState, probeStep, type ProbeState } from './probe-step.ts';
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

/** One turn of a probe, `seconds` after the agent and (unless told otherwise) the container started. */
function turn(target: ProbeTarget, status: PodStatus | undefined, state: ProbeState = newProbeState, seconds = 0) {
  return probeStep(target, state, { status, nowMs: startMs + seconds * 1000, agentStartMs: startMs });
}

const known: ProbeState = { ...newProbeState, containerId: 'containerd://c1' };
const kinds: readonly ProbeKind[] = ['liveness', 'readiness', 'startup'];

describe('probeStep', () => {
  it('waits as long as there is nothing to probe', () => {
    const target = targetOf('readiness');
    const nothing = { state: newProbeState, changes: [], next: 'wait' };
    expect(turn(target, undefined)).toEqual(nothing);
    expect(turn(target, { phase: 'Pending' })).toEqual(nothing);
    expect(turn(target, statusOf(running({ name: 'other' })))).toEqual(nothing);
    expect(turn(target, statusOf(running({ containerID: '' })))).toEqual(nothing);
  });

  it.each(['Failed', 'Succeeded'] as const)('ends with the pod: %s', (phase) => {
    expect(turn(targetOf('liveness'), { ...statusOf(running()), phase }).next).toBe('stop');
  });

  it.each([
    ['liveness', 'success', true],
    ['readiness', 'failure', true],
    ['startup', 'unknown', false],
  ] as const)('begins %s with %s, and probes', (kind, result, started) => {
    expect(turn(targetOf(kind), statusOf(running({ started })))).toEqual({
      state: known,
      changes: [{ containerId: 'containerd://c1', result }],
      next: 'probe',
    });
  });

  it('says nothing again about the same container', () => {
    expect(turn(targetOf('liveness'), statusOf(running()), known)).toEqual({
      state: known,
      changes: [],
      next: 'probe',
    });
  });

  it('forgets what it knew of the container before, and goes on from hold', () => {
    const held: ProbeState = { containerId: 'containerd://c0', onHold: true, lastResult: 'failure', resultRun: 0 };
    expect(turn(targetOf('liveness'), statusOf(running()), held)).toEqual({
      state: { ...held, containerId: 'containerd://c1', onHold: false },
      changes: [
        { containerId: 'containerd://c0', result: undefined },
        { containerId: 'containerd://c1', result: 'success' },
      ],
      next: 'probe',
    });
  });

  it('rests on hold, whatever becomes of the container', () => {
    const held = { ...known, onHold: true };
    const exited = running({ state: { terminated: { exitCode: 1 } } });
    for (const status of [running(), exited]) {
      expect(turn(targetOf('liveness'), statusOf(status), held)).toEqual({ state: held, changes: [], next: 'wait' });
    }
  });

  describe('of a container that does not run', () => {
    const exited = statusOf(running({ state: { terminated: { exitCode: 0 } } }));
    const failed = [{ containerId: 'containerd://c1', result: 'failure' }];

    it('fails, and goes on as long as the container may run again', () => {
      const next = (target: ProbeTarget, status = exited) => turn(target, status, known).next;
      expect(turn(targetOf('liveness'), exited, known)).toEqual({ state: known, changes: failed, next: 'wait' });
      expect(next(targetOf('readiness', {}, { restartPolicy: 'OnFailure' }))).toBe('wait');
      expect(next(targetOf('readiness', {}, { restartPolicy: 'Never' }))).toBe('stop');
      const waiting = statusOf(running({ state: { waiting: {} } }));
      expect(next(targetOf('readiness', {}, { restartPolicy: 'Never' }), waiting)).toBe('wait');
      expect(next(sidecarOf('readiness'), sidecarStatusOf(running({ state: { terminated: { exitCode: 1 } } })))).toBe(
        'wait',
      );
    });

    it('knows the restart rules of containers', () => {
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
      expect(turn(withRule('Restart'), exited, known).next).toBe('wait');
      expect(turn(withRule('RestartAllContainers'), exited, known).next).toBe('wait');
      const own = { containers: [{ restartPolicy: 'Never' as const }] };
      expect(turn(targetOf('readiness', {}, own), exited, known).next).toBe('stop');
    });
  });

  it('counts a pod that is being deleted as alive, and goes on with readiness only', () => {
    const pod = { metadata: { deletionTimestamp: at(0) } };
    const deleted = (kind: ProbeKind) => turn(targetOf(kind, {}, pod), statusOf(running()), known);
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
      expect(turn(target, status, known, seconds).next).toBe(next);
    },
  );

  it('probes without a delay, also when the clock was set back', () => {
    const status = statusOf(running({ state: { running: { startedAt: at(3600) } } }));
    expect(turn(targetOf('readiness'), status, known).next).toBe('probe');
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
    expect(turn(targetOf(kind), status, known).next).toBe(next);
  });

  describe('after a restart of the agent', () => {
    const since = (seconds: number, more: Partial<ContainerStatus> = {}): ContainerStatus =>
      running({ state: { running: { startedAt: at(seconds) } }, ...more });

    it.each(kinds)('says nothing about a container that was there before: %s', (kind) => {
      const not = { started: false, ready: false };
      expect(turn(targetOf(kind), statusOf(since(-11, not))).changes).toEqual([]);
      expect(turn(targetOf(kind), statusOf(since(-10, not))).changes).toHaveLength(1);
    });

    it.each<[ProbeKind, Partial<ContainerStatus>]>([
      ['readiness', { started: true, ready: true }],
      ['startup', { started: true, ready: false }],
    ])('lets what the agent before it reported go on, however young the container is: %s', (kind, reported) => {
      expect(turn(targetOf(kind), statusOf(since(0, reported))).changes).toEqual([]);
    });

    it('takes a sidecar that has started for one that passed its startup probe', () => {
      const changes = (started: boolean, kind: ProbeKind) =>
        turn(sidecarOf(kind), sidecarStatusOf(since(-11, { started }))).changes;
      expect(changes(true, 'startup')).toEqual([{ containerId: 'containerd://c1', result: 'success' }]);
      expect(changes(false, 'startup')).toEqual([]);
      expect(changes(true, 'liveness')).toEqual([]);
    });
  });
});

describe('countResult', () => {
  /** What is published by each of a series of results, `-` for nothing. */
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

  it('publishes what came often enough in a row, and each time from then on', () => {
    const probe = { successThreshold: 2, failureThreshold: 3 };
    expect(published('readiness', probe, 'ssffsfffssfsss')).toBe('-s-----f-s--ss');
    expect(published('readiness', { failureThreshold: 1 }, 'sffs')).toBe('sffs');
    expect(published('readiness', {}, 'ffffs')).toBe('--ffs');
  });

  it('holds a container whose liveness failed, and any whose startup has a result', () => {
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

  it('is what counting the end of the whole history gives', () => {
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
          // The model: a result holds from the end of the last run that was long enough.
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
  it('are those of regular containers and sidecars, with defaults', () => {
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
