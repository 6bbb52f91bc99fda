import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { PodDiff } from './diff-pods.ts';
import { createSourcePods } from './source-pods.ts';

const pod = (name: string, more: Parameters<typeof testPod>[0] = {}): Pod => testPod({ name, uid: name, ...more });
const setUp = () => createSourcePods({ name: 'api' }, () => '2026-01-01T00:00:00Z');
const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata!.name!).join();
const operations = ({ add, update, remove, reconcile }: PodDiff): readonly string[] =>
  [add, update, remove, reconcile].map(names);

/** Returns a pod that counts each look at its definition. */
function watched(name: string, looks: Map<string, number>): Pod {
  return new Proxy(pod(name), {
    get(target, key) {
      if (key === 'spec') looks.set(name, (looks.get(name) ?? 0) + 1);
      return Reflect.get(target, key) as unknown;
    },
  });
}

describe('changes of single pods of a source', () => {
  it('equal the operations of a snapshot with these changes', () => {
    const known = setUp();
    known.replace([pod('a'), pod('b')]);
    expect(operations(known.put([pod('c')]).diff)).toEqual(['c', '', '', '']);
    expect(operations(known.put([pod('a', { labels: { x: 'y' } })]).diff)).toEqual(['', 'a', '', '']);
    expect(operations(known.put([pod('b', { status: { phase: 'Running' } })]).diff)).toEqual(['', '', '', 'b']);
    expect(operations(known.remove([pod('a')]).diff)).toEqual(['', '', 'a', '']);
    expect(operations(known.remove([pod('a')]).diff)).toEqual(['', '', '', '']);
    expect(names(known.pods())).toBe('b,c');
    expect([known.find('c')?.metadata?.name, known.find('a')]).toEqual(['c', undefined]);
  });

  it('apply without a look at other pods', () => {
    const known = setUp();
    const looks = new Map<string, number>();
    known.replace(Array.from({ length: 100 }, (_, index) => watched(`pod-${String(index)}`, looks)));
    looks.clear();
    known.put([pod('pod-1', { status: { phase: 'Running' } }), pod('new')]);
    known.remove([pod('pod-2')]);
    expect([...looks.keys()]).toEqual([]);
  });

  it('name an invalid pod until it is gone, and keep its UID', () => {
    const known = setUp();
    known.replace([pod('a')]);
    const invalid = pod('b', { metadata: { name: '..' } });
    const { diff, problems } = known.put([invalid]);
    expect([operations(diff), problems.map(({ reason }) => reason)]).toEqual([['', '', '', ''], ['InvalidPod']]);
    expect([known.isInvalid('b'), known.find('b')]).toEqual([true, undefined]);
    expect(operations(known.put([pod('c')]).diff)).toEqual(['c', '', '', '']);
    expect(known.remove([invalid]).problems).toEqual([]);
    expect(known.isInvalid('b')).toBe(false);
  });

  it('name the invalid version of a pod that is kept, until a valid one comes', () => {
    const hasLabel = ({ metadata }: Pod): boolean => metadata?.labels?.['x'] !== undefined;
    const source = {
      name: 'mine',
      check: (one: Pod) => (hasLabel(one) ? { problems: [{ field: 'x', message: 'is no label' }] } : { pod: one }),
    };
    const known = createSourcePods(source, () => '2026-01-01T00:00:00Z');
    known.replace([pod('a')]);
    const kept = { reason: 'InvalidPod', isPodKept: true, pod: { uid: 'a' } };
    const invalid = pod('a', { labels: { x: 'y' } });
    expect(known.replace([invalid]).problems).toMatchObject([kept]);
    expect(known.put([pod('b')]).problems).toMatchObject([kept]);
    expect(known.replace([invalid, pod('b')]).problems).toMatchObject([kept]);
    expect(known.isInvalid('a')).toBe(true);
    expect(known.replace([pod('a'), pod('b')]).problems).toEqual([]);
  });

  it('add a pod once no other has its name', () => {
    const known = setUp();
    known.replace([pod('a')]);
    const other = testPod({ name: 'a', uid: 'other' });
    expect(known.put([other]).problems).toMatchObject([{ reason: 'DuplicatePod' }]);
    const { diff, problems } = known.remove([pod('a')]);
    expect([operations(diff), problems]).toEqual([['a', '', 'a', ''], []]);
    expect(known.find('other')).toBeDefined();
  });

  it('leave the pods as they are when one of several is contested', () => {
    const known = setUp();
    known.replace([pod('a'), pod('b')]);
    const changed = pod('b', { labels: { x: 'y' } });
    const { diff } = known.put([changed, testPod({ name: 'a', uid: 'other' })]);
    expect(operations(diff)).toEqual(['', 'b', '', '']);
  });
});
