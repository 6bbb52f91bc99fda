import { otherPods } from '@rxlet/agent-api';
import type { Node, Pod } from '@rxlet/kube-api';
import { expect, it } from 'vitest';
import { toRejection } from './admission-failure.ts';
import { withDevicesOf } from './plugin-resources.ts';
import { generalFailures } from './predicates/general-predicates.ts';

const GPU = 'example.com/gpu';
const node: Node = { metadata: { name: 'node1' }, status: { allocatable: { pods: '110', [GPU]: '0' } } };
const pod = (uid: string): Pod => ({
  metadata: { name: uid, uid },
  spec: { containers: [{ name: 'app', resources: { requests: { [GPU]: '1' } } }] },
});
const update = withDevicesOf({ inUseWith: (uid) => (uid === 'held' ? { [GPU]: 2 } : undefined) });
const rejection = (uid: string, others: readonly Pod[]) => {
  const [failure] = generalFailures(pod(uid), update(pod(uid), node), otherPods(others));
  return failure && toRejection(failure);
};

it('admits pods that have their devices although the plugin is gone, and no others', () => {
  expect(rejection('held', [pod('other')])).toBeUndefined();
  expect(rejection('new', [])).toEqual({
    reason: `OutOf${GPU}`,
    message: `Node didn't have enough resource: ${GPU}, requested: 1, used: 0, capacity: 0`,
  });
});

it('leaves the node as it is when enough devices are allocatable', () => {
  const enough = { ...node, status: { allocatable: { [GPU]: '3' } } };
  expect(update(pod('held'), enough).status?.allocatable).toEqual({ [GPU]: '3' });
  expect(update(pod('new'), enough)).toBe(enough);
});
