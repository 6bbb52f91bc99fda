import type { Container, ContainerState, ContainerStatus, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { type ReportedBefore, withInitProbeResults, withProbeResults } from './probe-results.ts';

const startedAt = '2026-01-01T00:00:00Z';
const running: ContainerState = { running: { startedAt } };
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } });
const status = (more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'app',
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  containerID: 'containerd://1',
  ...more,
});
const noResults = { isStarted: () => undefined, isReady: () => undefined };
const noHistory: ReportedBefore = { statuses: undefined };
type Outcome = readonly [started: boolean | undefined, ready: boolean];

const regular = (container: Partial<Container>, now: ContainerStatus, before = noHistory): Outcome => {
  const [probed] = withProbeResults(testPod({ containers: [container] }), [now], before, noResults);
  return [probed!.started, probed!.ready];
};
const init = (container: Partial<Container>, now: ContainerStatus): Outcome => {
  const pod = testPod({ initContainers: [container] });
  const [probed] = withInitProbeResults(pod, [now], noHistory, noResults);
  return [probed!.started, probed!.ready];
};

describe('a running container without probe results', () => {
  const probes = { startupProbe: {}, readinessProbe: {} };

  it('is started and ready without probes, even if the spec does not have it', () => {
    expect(regular({}, status({ state: running }))).toEqual([true, true]);
    expect(regular({ name: 'other' }, status({ state: running }))).toEqual([true, true]);
    const [probed] = withProbeResults({}, [status({ state: running })], noHistory, noResults);
    expect(probed).toMatchObject({ started: true, ready: true });
  });

  it('keeps what was reported of its instance', () => {
    const reported = (started: boolean, ready: boolean): Outcome =>
      regular(probes, status({ state: running }), { statuses: [status({ started, ready })] });
    expect(reported(true, true)).toEqual([true, true]);
    expect(reported(true, false)).toEqual([true, false]);
    expect(reported(false, true)).toEqual([false, false]);
  });

  it('is started if it has run for longer than its startup probe may fail, under another agent', () => {
    const startedMs = Date.parse(startedAt);
    const adopted = (
      agentStartMs: number | undefined,
      startupProbe: Probe = {},
      state = running,
    ): boolean | undefined => regular({ startupProbe }, status({ state }), { statuses: undefined, agentStartMs })[0];
    expect(adopted(startedMs + 30_001)).toBe(true);
    expect(adopted(startedMs + 30_000)).toBe(false);
    expect(adopted(undefined)).toBe(false);
    expect(adopted(startedMs + 30_001, {}, { running: {} })).toBe(false);
    const slow = { initialDelaySeconds: 60, periodSeconds: 5, failureThreshold: 12 };
    expect(adopted(startedMs + 120_001, slow)).toBe(true);
    expect(adopted(startedMs + 120_000, slow)).toBe(false);
    expect(adopted(startedMs + 180_000, { ...slow, timeoutSeconds: 10 })).toBe(false);
  });

  it('is looked up by its id, which may be unknown yet', () => {
    const ids: string[] = [];
    const note = (id: string): boolean => ids.push(id) > 0;
    const { containerID: _, ...unidentified } = status({ state: running });
    withProbeResults(testPod(), [status({ state: running }), unidentified], noHistory, {
      isStarted: note,
      isReady: note,
    });
    expect(ids).toEqual(['containerd://1', 'containerd://1', '', '']);
  });
});

describe('a container that is not running', () => {
  it('is neither started nor ready', () => {
    expect(regular({}, status())).toEqual([false, false]);
    expect(regular({}, status({ state: exited(0) }))).toEqual([false, false]);
  });
});

describe('an init container', () => {
  it('is ready once it has succeeded', () => {
    expect(init({}, status({ state: exited(0) }))).toEqual([false, true]);
    expect(init({}, status({ state: exited(1) }))).toEqual([false, false]);
    expect(init({}, status({ state: running }))).toEqual([true, false]);
    expect(init({}, status())).toEqual([false, false]);
    expect(init({ name: 'other' }, status({ state: exited(0) }))).toEqual([false, true]);
  });

  it('follows its probes as a sidecar', () => {
    const sidecar = { restartPolicy: 'Always' } as const;
    expect(init(sidecar, status({ state: running }))).toEqual([true, true]);
    expect(init({ ...sidecar, readinessProbe: {} }, status({ state: running }))).toEqual([true, false]);
    expect(init(sidecar, status({ state: exited(0) }))).toEqual([false, false]);
  });
});
