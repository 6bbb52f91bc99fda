import type { ContainerStatus, PodStatus } from '@rxlet/kube-api';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { isFromEarlierIncarnation } from './earlier-incarnation.ts';

const terminated = (exitCode: number): ContainerStatus => ({
  name: 'app',
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  containerID: 'containerd://one',
  state: { terminated: { exitCode } },
});
/** The runtime's containers, newest first. */
const withContainers = (...ids: string[]): RuntimePod => ({
  uid: 'uid-web',
  name: 'web',
  namespace: 'default',
  sandboxes: [],
  containers: ids.map((id) => ({
    id: { type: 'containerd', id },
    name: 'app',
    sandboxId: 's',
    state: 'running',
    hash: '',
    attempt: 0,
    createdAtNanos: 0n,
    image: '',
    imageRef: '',
  })),
});
const once = testPod({ restartPolicy: 'Never' });
const ended = (exitCode = 0): PodStatus => ({ phase: 'Succeeded', containerStatuses: [terminated(exitCode)] });

describe('a stored status', () => {
  it('belongs to an earlier incarnation when a container that had terminated for the last time has a newer instance', () => {
    expect(isFromEarlierIncarnation(once, ended(), withContainers('two', 'one'))).toBe(true);
    const onFailure = testPod({ restartPolicy: 'OnFailure' });
    expect(isFromEarlierIncarnation(onFailure, ended(0), withContainers('two'))).toBe(true);
  });

  it('is valid while the instance is the newest, or when the runtime has lost it', () => {
    expect(isFromEarlierIncarnation(once, ended(), withContainers('one', 'zero'))).toBe(false);
    expect(isFromEarlierIncarnation(once, ended(), withContainers())).toBe(false);
  });

  it('is valid when the container may have been restarted', () => {
    const failed: PodStatus = { phase: 'Running', containerStatuses: [terminated(1)] };
    for (const restartPolicy of ['Always', 'OnFailure'] as const) {
      expect(isFromEarlierIncarnation(testPod({ restartPolicy }), failed, withContainers('two'))).toBe(false);
    }
    const waiting: PodStatus = { containerStatuses: [{ ...terminated(0), state: { waiting: {} } }] };
    expect(isFromEarlierIncarnation(once, waiting, withContainers('two'))).toBe(false);
  });

  it('is valid when all containers may have been restarted together', () => {
    const restartPolicyRules = [
      { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [9] } },
    ] as const;
    const together = testPod({
      restartPolicy: 'Never',
      containers: [{ name: 'app', restartPolicy: 'Never', restartPolicyRules }],
    });
    const running: PodStatus = { ...ended(), phase: 'Running' };
    expect(isFromEarlierIncarnation(together, running, withContainers('two'))).toBe(false);
    expect(isFromEarlierIncarnation(together, ended(), withContainers('two'))).toBe(true);
  });

  it('belongs to an earlier incarnation when a container started before the first sandbox', () => {
    const always = testPod();
    const startedAt = '2026-01-01T00:01:00Z';
    const withSandbox = (attempt: number, createdAt: string): RuntimePod => ({
      ...withContainers('two'),
      sandboxes: [
        {
          id: 's',
          attempt,
          state: 'ready',
          createdAtNanos: BigInt(Date.parse(createdAt)) * 1_000_000n,
        },
      ],
    });
    const before: PodStatus = {
      phase: 'Running',
      containerStatuses: [{ ...terminated(0), state: { running: { startedAt } } }],
    };
    const crashed: PodStatus = {
      phase: 'Running',
      containerStatuses: [
        { ...terminated(0), state: { waiting: {} }, lastState: { terminated: { exitCode: 1, startedAt } } },
      ],
    };
    for (const stored of [before, crashed]) {
      expect(isFromEarlierIncarnation(always, stored, withSandbox(0, '2026-01-01T00:01:01Z'))).toBe(true);
      expect(isFromEarlierIncarnation(always, stored, withSandbox(0, '2026-01-01T00:01:00.999Z'))).toBe(false);
      expect(isFromEarlierIncarnation(always, stored, withSandbox(1, '2026-01-01T00:02:00Z'))).toBe(false);
    }
    expect(isFromEarlierIncarnation(always, { phase: 'Pending' }, withSandbox(0, '2026-01-01T00:01:01Z'))).toBe(false);
  });
});
