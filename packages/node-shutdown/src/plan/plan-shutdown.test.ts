import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { groupIndexOf, pendingGroups, shutdownGraceSeconds } from './plan-shutdown.ts';
import { shutdownGroups, totalSeconds } from './shutdown-groups.ts';

const pod = (priority?: number, terminationGracePeriodSeconds?: number): Pod => ({
  spec: {
    containers: [],
    ...(priority !== undefined && { priority }),
    ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
  },
});

describe('shutdownGroups', () => {
  it('splits the time of all pods into that of critical pods and the rest', () => {
    expect(shutdownGroups({ allPodsMs: 30_900, criticalPodsMs: 10_000 })).toEqual([
      { priority: 0, gracePeriodSeconds: 20 },
      { priority: 2_000_000_000, gracePeriodSeconds: 10 },
    ]);
  });

  it('has no groups without a time for all pods', () => {
    expect(shutdownGroups({})).toEqual([]);
    expect(shutdownGroups({ criticalPodsMs: 1_000 })).toEqual([]);
  });

  it('sorts configured groups, which take the place of the simple times', () => {
    const byPodPriority = [
      { priority: 100, gracePeriodSeconds: 3 },
      { priority: -5, gracePeriodSeconds: 1 },
    ];
    const groups = shutdownGroups({ allPodsMs: 60_000, byPodPriority });
    expect(groups.map(({ priority }) => priority)).toEqual([-5, 100]);
    expect(totalSeconds(groups)).toBe(4);
  });
});

describe('the group of a pod', () => {
  const groups = [10, 20, 30].map((priority) => ({ priority, gracePeriodSeconds: 1 }));

  it.each([
    [undefined, 0],
    [9, 0],
    [10, 0],
    [19, 0],
    [20, 1],
    [30, 2],
    [1_000, 2],
  ])('gives priority %j the group %j', (priority, index) => {
    expect(groupIndexOf(groups, pod(priority))).toBe(index);
  });

  it('is the current one for pods of earlier groups; groups without pods are left out', () => {
    expect(pendingGroups(groups, [pod(30), pod(1), pod(2)])).toEqual([0, 2]);
    expect(pendingGroups(groups, [pod(30), pod(1)], 1)).toEqual([1, 2]);
    expect(pendingGroups(groups, [])).toEqual([]);
  });
});

it('gives a pod its own grace period, but no more than its group has left', () => {
  expect(shutdownGraceSeconds(pod(0, 5), 20)).toBe(5);
  expect(shutdownGraceSeconds(pod(0, 600), 19.9)).toBe(19);
  expect(shutdownGraceSeconds(pod(0), 20)).toBe(20);
  expect(shutdownGraceSeconds(pod(0, 5), -1)).toBe(0);
});
