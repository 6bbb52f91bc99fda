import { describe, expect, it } from 'vitest';
import { isOwnedCondition, ownedConditionTypes, withCondition } from './condition-types.ts';

describe('the conditions of a node agent', () => {
  const own = [
    'PodScheduled',
    'Ready',
    'Initialized',
    'ContainersReady',
    'PodResizePending',
    'PodResizeInProgress',
    'PodReadyToStartContainers',
    'AllContainersRestarting',
  ];

  it('include those of the kubelet, and DisruptionTarget together with other writers', () => {
    expect([...ownedConditionTypes].toSorted()).toEqual([...own, 'DisruptionTarget'].toSorted());
    expect([...own, 'DisruptionTarget', 'example.com/gate'].filter(isOwnedCondition)).toEqual(own);
  });
});

describe('withCondition', () => {
  const [first, second, third] = ['A', 'B', 'C'].map((type) => ({ type, status: 'True' }));
  const changed = { type: 'A', status: 'False' };

  it('replaces the condition of the type in its place, and adds a new one at the end', () => {
    const conditions = [first!, second!];
    expect(withCondition(conditions, changed)).toEqual([changed, second]);
    expect(withCondition(conditions, third!)).toEqual([first, second, third]);
    expect(withCondition(undefined, changed)).toEqual([changed]);
    expect(conditions).toEqual([first, second]);
  });
});
