import { describe, expect, it } from 'vitest';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { diffPods, splitDuplicates } from './diff-pods.ts';

function knownOf(...pods: Pod[]): ReadonlyMap<string, Pod> {
  return new Map(pods.map((pod) => [pod.metadata!.uid!, pod]));
}

/** The operations of a diff with the names of their pods, without the empty ones. */
function operations(known: ReadonlyMap<string, Pod>, snapshot: readonly Pod[]) {
  const { known: next, ...lists } = diffPods(known, snapshot);
  const named = Object.entries(lists).map(([op, pods]) => [op, pods.map(({ metadata }) => metadata!.name)] as const);
  return { operations: Object.fromEntries(named.filter(([, names]) => names.length > 0)), next };
}

describe('diffPods', () => {
  it('adds and removes by UID', () => {
    const web = testPod({ uid: '1' });
    expect(operations(knownOf(web), [testPod({ uid: '2' })]).operations).toEqual({ add: ['web'], remove: ['web'] });
    expect(operations(knownOf(web), []).operations).toEqual({ remove: ['web'] });
    expect(operations(new Map(), [web]).operations).toEqual({ add: ['web'] });
  });

  it('finds nothing in an equal pod, and keeps the known object', () => {
    const web = testPod();
    const { operations: found, next } = operations(knownOf(web), [structuredClone(web)]);
    expect(found).toEqual({});
    expect(next.get('uid-web')).toBe(web);
  });

  it.each([
    ['spec', testPod({ containers: [{ image: 'other' }] })],
    ['labels', testPod({ labels: { a: 'b' } })],
    ['annotations', testPod({ annotations: { a: 'b' } })],
    ['deletionGracePeriodSeconds', testPod({ metadata: { deletionGracePeriodSeconds: 1 } })],
  ])('updates a pod whose %s changed', (_, pod) => {
    const { operations: found, next } = operations(knownOf(testPod()), [pod]);
    expect(found).toEqual({ update: ['web'] });
    expect(next.get('uid-web')).toBe(pod);
  });

  it.each(['kubernetes.io/config.source', 'kubernetes.io/config.mirror', 'kubernetes.io/config.seen'])(
    'ignores annotation %s',
    (annotation) => {
      const pod = testPod({ annotations: { [annotation]: 'x' } });
      expect(operations(knownOf(testPod()), [pod]).operations).toEqual({});
    },
  );

  it('deletes gracefully what has a deletionTimestamp', () => {
    const pod = testPod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(operations(knownOf(testPod()), [pod]).operations).toEqual({ delete: ['web'] });
    expect(operations(knownOf(pod), [structuredClone(pod)]).operations).toEqual({});
    const shorter = testPod({ metadata: { ...pod.metadata, deletionGracePeriodSeconds: 1 } });
    expect(operations(knownOf(pod), [shorter]).operations).toEqual({ delete: ['web'] });
  });

  it('reconciles a pod of which only the status changed', () => {
    const pod = testPod({ status: { phase: 'Running' } });
    expect(operations(knownOf(testPod()), [pod]).operations).toEqual({ reconcile: ['web'] });
    const changed = testPod({ status: { phase: 'Running' }, labels: { a: 'b' } });
    expect(operations(knownOf(testPod()), [changed]).operations).toEqual({ update: ['web'] });
  });
});

describe('splitDuplicates', () => {
  it('lets the first pod of a name and namespace win', () => {
    const first = testPod({ uid: '1' });
    const second = testPod({ uid: '2' });
    const elsewhere = testPod({ uid: '3', namespace: 'other' });
    expect(splitDuplicates(new Map(), [first, second, elsewhere])).toEqual({
      pods: [first, elsewhere],
      duplicates: [{ pod: second, other: first, same: 'name' }],
    });
  });

  it('lets the first pod of a UID win, as when a manifest was copied with its UID', () => {
    const first = testPod({ uid: '1' });
    const copy = testPod({ uid: '1', name: 'copy' });
    const third = testPod({ uid: '3', name: 'copy' });
    expect(splitDuplicates(new Map(), [first, copy, third])).toEqual({
      pods: [first, third],
      duplicates: [{ pod: copy, other: first, same: 'UID' }],
    });
  });

  it('lets the pod that is known win over an earlier one', () => {
    const [first, known] = [testPod({ uid: '1' }), testPod({ uid: '2' })];
    expect(splitDuplicates(new Map([['2', known]]), [first, known])).toEqual({
      pods: [known],
      duplicates: [{ pod: first, other: known, same: 'name' }],
    });
  });
});
