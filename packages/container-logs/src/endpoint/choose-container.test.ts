import type { ContainerStatus, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { chooseContainerId, findPod } from './choose-container.ts';

const query = { namespace: 'default', podName: 'web', containerName: 'c', follow: false, timestamps: false };
const podWith = (status?: Partial<ContainerStatus>, uid = '1'): Pod => ({
  metadata: { name: 'web', namespace: 'default', uid },
  spec: { containers: [{ name: 'c' }] },
  status: {
    containerStatuses:
      status === undefined ? [] : [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, ...status }],
  },
});
const choose = (status: Partial<ContainerStatus> | undefined, previous = false): string => {
  try {
    return chooseContainerId(podWith(status), { ...query, previous });
  } catch (error) {
    return (error as Error).message;
  }
};
const terminated = (containerID = ''): { terminated: { exitCode: number; containerID: string } } => ({
  terminated: { exitCode: 1, containerID },
});

describe('chooseContainerId', () => {
  it.each([
    ['a running container', { containerID: 'x://2', state: { running: {} }, lastState: terminated('x://1') }, 'x://2'],
    ['one that has ended', { state: terminated('x://2'), lastState: terminated('x://1') }, 'x://2'],
    ['one whose successor did not start', { state: terminated(), lastState: terminated('x://1') }, 'x://1'],
    [
      'one that waits for its restart',
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: terminated('x://1') },
      'x://1',
    ],
    ['one that never started', { state: terminated() }, 'container "c" in pod "web" is terminated'],
    [
      'one without an image',
      { state: { waiting: { reason: 'ErrImagePull' } } },
      'container "c" in pod "web" is waiting to start: image can\'t be pulled',
    ],
    [
      'one that still waits for its image',
      { state: { waiting: { reason: 'ImagePullBackOff' } } },
      'container "c" in pod "web" is waiting to start: trying and failing to pull image',
    ],
    [
      'one that is being created',
      { state: { waiting: { reason: 'ContainerCreating' } } },
      'container "c" in pod "web" is waiting to start: ContainerCreating',
    ],
    ['one without a state', {}, 'container "c" in pod "web" is waiting to start - no logs yet'],
    ['one without a status', undefined, 'container "c" in pod "web" is not available'],
  ])('reads the log of %s', (_what, status, expected) => {
    expect(choose(status)).toBe(expected);
  });

  it('reads the log of the container before the current one on request', () => {
    const state = { running: {} };
    expect(choose({ containerID: 'x://2', state, lastState: terminated('x://1') }, true)).toBe('x://1');
    expect(choose({ containerID: 'x://2', state }, true)).toBe(
      'previous terminated container "c" in pod "web" not found',
    );
  });
});

describe('findPod', () => {
  it('finds the pod that stays while another of its name ends', () => {
    const { metadata, ...rest } = podWith({}, 'old');
    const leaving: Pod = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(findPod([podWith({}, 'new'), leaving], { ...query, previous: false }).metadata?.uid).toBe('new');
  });

  it('answers 404 for unknown pods and containers', () => {
    expect(() => findPod([], { ...query, previous: false })).toThrow('pod "web" does not exist');
    expect(() => findPod([podWith({})], { ...query, containerName: 'x', previous: false })).toThrow(
      'container "x" not found in pod "web"',
    );
  });
});
