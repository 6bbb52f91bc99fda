import type { Container, ContainerState, ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { SOURCE_PROBLEM_ANNOTATION } from '@rxlet/kubelet-server';
import { describe, expect, it } from 'vitest';
import { podStatusWord } from '@rxlet/pod-model/summary';
import { pods } from './pods.ts';
import { cellTexts } from './resource-kind.ts';

const podRow = (pod: Pod, nowMs: number): string[] => cellTexts(pods, pod, nowMs);
const wideCells = (pod: Pod): string[] => cellTexts(pods, pod, NOW_MS, true).slice(6);
const NOW_MS = Date.UTC(2026, 0, 1, 12);
const at = (secondsAgo: number): string => new Date(NOW_MS - secondsAgo * 1000).toISOString();

interface Given extends Partial<ContainerStatus> {
  /** A sidecar among the init containers. */
  readonly isSidecar?: boolean;
}

/** A pod whose containers have the given statuses, in their order. */
function podWith(
  given: { init?: readonly Given[]; containers?: readonly Given[] } & Omit<Partial<PodStatus>, 'containerStatuses'>,
  metadata: Pod['metadata'] = {},
): Pod {
  const { init = [], containers = [{}], ...status } = given;
  const spec =
    (prefix: string) =>
    (one: Given, index: number): Container => ({
      name: `${prefix}${String(index)}`,
      ...(one.isSidecar === true && { restartPolicy: 'Always' }),
    });
  const toStatus =
    (prefix: string) =>
    ({ isSidecar: _, ...one }: Given, index: number): ContainerStatus => ({
      name: `${prefix}${String(index)}`,
      image: 'x',
      imageID: '',
      ready: false,
      restartCount: 0,
      ...one,
    });
  return {
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { containers: containers.map(spec('c')), initContainers: init.map(spec('i')) },
    status: {
      phase: 'Running',
      initContainerStatuses: init.map(toStatus('i')),
      containerStatuses: containers.map(toStatus('c')),
      ...status,
    },
  };
}

const running: ContainerState = { running: { startedAt: at(60) } };
const waiting = (reason: string): ContainerState => ({ waiting: { reason } });
const ended = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): ContainerState => ({
  terminated: { exitCode, reason },
});
const up: Given = { state: running, ready: true, started: true };
const True = (type: string) => ({ type, status: 'True' });

/** READY, STATUS and RESTARTS. */
const columns = (pod: Pod): string => podRow(pod, NOW_MS).slice(2, 5).join(' ');

describe('the columns of pods', () => {
  it.each<[description: string, pod: Pod, expected: string]>([
    ['no status yet', { metadata: {}, spec: { containers: [{ name: 'a' }] } }, '0/1 Pending 0'],
    ['all run', podWith({ containers: [up, up] }), '2/2 Running 0'],
    ['one is not ready', podWith({ containers: [up, { state: running }] }), '1/2 Running 0'],
    [
      'creating',
      podWith({ phase: 'Pending', containers: [{ state: waiting('ContainerCreating') }] }),
      '0/1 ContainerCreating 0',
    ],
    [
      'no image',
      podWith({ phase: 'Pending', containers: [{ state: waiting('ImagePullBackOff') }] }),
      '0/1 ImagePullBackOff 0',
    ],
    ['waiting for no reason', podWith({ phase: 'Pending', containers: [{ state: { waiting: {} } }] }), '0/1 Pending 0'],
    [
      'crash loop',
      podWith({
        containers: [
          {
            state: waiting('CrashLoopBackOff'),
            restartCount: 3,
            lastState: { terminated: { exitCode: 1, finishedAt: at(42) } },
          },
        ],
      }),
      '0/1 CrashLoopBackOff 3 (42s ago)',
    ],
    ['done', podWith({ phase: 'Succeeded', containers: [{ state: ended(0) }] }), '0/1 Completed 0'],
    ['failed', podWith({ phase: 'Failed', containers: [{ state: ended(1) }] }), '0/1 Error 0'],
    ['out of memory', podWith({ containers: [{ state: ended(137, 'OOMKilled') }] }), '0/1 OOMKilled 0'],
    [
      'ended without a reason',
      podWith({ containers: [{ state: { terminated: { exitCode: 3 } } }] }),
      '0/1 ExitCode:3 0',
    ],
    ['killed', podWith({ containers: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] }), '0/1 Signal:9 0'],
    [
      'the first of several reasons',
      podWith({ containers: [{ state: ended(1) }, { state: waiting('CrashLoopBackOff') }, up] }),
      '1/3 Error 0',
    ],
    [
      'one is done, the pod is ready',
      podWith({ containers: [{ state: ended(0) }, up], conditions: [True('Ready')] }),
      '1/2 Running 0',
    ],
    ['one is done, the pod is not ready', podWith({ containers: [{ state: ended(0) }, up] }), '1/2 NotReady 0'],
    [
      'one is done, the other not ready',
      podWith({ containers: [{ state: ended(0) }, { state: running }] }),
      '0/2 Completed 0',
    ],
    [
      'rejected',
      podWith({ phase: 'Failed', reason: 'PodFeatureUnsupported', containers: [] }),
      '0/0 PodFeatureUnsupported 0',
    ],
    [
      'evicted after it ran',
      podWith({ phase: 'Failed', reason: 'Evicted', containers: [{ state: ended(137) }] }),
      '0/1 Error 0',
    ],
    [
      'gated',
      podWith({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
      '0/1 SchedulingGated 0',
    ],
    [
      'init containers begin',
      podWith({ phase: 'Pending', init: [{ state: waiting('PodInitializing') }, {}] }),
      '0/1 Init:0/2 0',
    ],
    [
      'first of two is done',
      podWith({ phase: 'Pending', init: [{ state: ended(0) }, { state: running }] }),
      '0/1 Init:1/2 0',
    ],
    [
      'init container crashes',
      podWith({
        phase: 'Pending',
        init: [
          { state: ended(0) },
          {
            state: waiting('CrashLoopBackOff'),
            restartCount: 2,
            lastState: { terminated: { exitCode: 1, finishedAt: at(5) } },
          },
        ],
        containers: [{ state: waiting('PodInitializing') }],
      }),
      '0/1 Init:CrashLoopBackOff 2 (5s ago)',
    ],
    ['init container failed', podWith({ phase: 'Failed', init: [{ state: ended(1) }] }), '0/1 Init:Error 0'],
    [
      'init container failed with a code',
      podWith({ init: [{ state: { terminated: { exitCode: 2 } } }] }),
      '0/1 Init:ExitCode:2 0',
    ],
    [
      'init container killed',
      podWith({ init: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] }),
      '0/1 Init:Signal:9 0',
    ],
    ['initialized', podWith({ init: [{ state: ended(0), restartCount: 4 }], containers: [up] }), '1/1 Running 0'],
    ['a sidecar counts', podWith({ init: [{ ...up, isSidecar: true }], containers: [up] }), '2/2 Running 0'],
    [
      'a sidecar that is not ready',
      podWith({ init: [{ state: running, started: true, isSidecar: true }], containers: [up] }),
      '1/2 Running 0',
    ],
    ['a sidecar starts', podWith({ phase: 'Pending', init: [{ state: running, isSidecar: true }] }), '0/2 Init:0/1 0'],
    [
      'a sidecar crashes in a pod that runs',
      podWith({
        init: [
          {
            isSidecar: true,
            state: waiting('CrashLoopBackOff'),
            restartCount: 2,
            lastState: { terminated: { exitCode: 1, finishedAt: at(9) } },
          },
        ],
        containers: [{ ...up, restartCount: 1, lastState: { terminated: { exitCode: 1, finishedAt: at(20) } } }],
        conditions: [True('Initialized')],
      }),
      '1/2 Init:CrashLoopBackOff 3 (9s ago)',
    ],
    ['terminating', podWith({ containers: [up] }, { deletionTimestamp: at(1) }), '1/1 Terminating 0'],
    [
      'ended while terminating',
      podWith({ phase: 'Succeeded', containers: [{ state: ended(0) }] }, { deletionTimestamp: at(1) }),
      '0/1 Completed 0',
    ],
    ['restarted at an unknown time', podWith({ containers: [{ ...up, restartCount: 1 }] }), '1/1 Running 1'],
    [
      'the latest restart of several',
      podWith({
        containers: [
          { ...up, restartCount: 1, lastState: { terminated: { exitCode: 0, finishedAt: at(30) } } },
          { ...up, restartCount: 2, lastState: { terminated: { exitCode: 0, finishedAt: at(400) } } },
        ],
      }),
      '2/2 Running 3 (30s ago)',
    ],
  ])('%s', (_description, pod, expected) => {
    expect(columns(pod)).toBe(expected);
  });

  it('has the name and age of the pod: since it was created, else since it was started', () => {
    const started = podWith({ startTime: at(90) });
    expect(podRow(started, NOW_MS)).toEqual(['default', 'web', '0/1', 'Running', '0', '90s']);
    expect(podRow({ ...started, metadata: { creationTimestamp: at(100) } }, NOW_MS).at(-1)).toBe('100s');
    expect(podRow(podWith({}), NOW_MS).at(-1)).toBe('<unknown>');
  });

  it('marks a pod whose manifest is broken, so that its last good version runs', () => {
    const pod: Pod = {
      metadata: { name: 'web', annotations: { [SOURCE_PROBLEM_ANNOTATION]: 'web.yaml: not YAML' } },
      status: { phase: 'Running' },
    };
    expect(podRow(pod, 0)[3]).toBe('Running,InvalidManifest');
    expect(podStatusWord(pod)).toBe('Running');
  });
});

describe('podStatusWord', () => {
  it('is the phase when there is nothing else to show', () => {
    expect(podStatusWord({ status: { phase: 'Unknown' } })).toBe('Unknown');
    expect(podStatusWord({})).toBe('Pending');
  });
});

describe('wideCells', () => {
  it('shows address and node', () => {
    expect(wideCells({ spec: { containers: [], nodeName: 'node1' }, status: { podIP: '10.0.0.2' } })).toEqual([
      '10.0.0.2',
      'node1',
    ]);
    expect(wideCells({})).toEqual(['<none>', '<none>']);
  });
});
