import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, podFullName } from '@rxlet/pod-model';

/** What changed from one snapshot of a source to the next. */
export interface PodDiff {
  /** Pods that were not there. */
  readonly add: readonly Pod[];
  /** Pods whose spec or metadata changed. */
  readonly update: readonly Pod[];
  /** Pods that are gone. */
  readonly remove: readonly Pod[];
  /** Pods that changed and are to be deleted gracefully: they have a deletionTimestamp. */
  readonly delete: readonly Pod[];
  /** Pods of which only the status changed. */
  readonly reconcile: readonly Pod[];
  /** What is known now, by UID. Pods that did not change are the same objects as before. */
  readonly known: ReadonlyMap<string, Pod>;
}

/** Annotations that say how a pod came here; they make no difference between two versions of it. */
const localAnnotations: ReadonlySet<string> = new Set([
  PodAnnotation.configSource,
  PodAnnotation.configMirror,
  PodAnnotation.configSeen,
]);

/** Compares a snapshot with what is known of its source, by UID. A pod with another UID is another pod, whatever its name. */
export function diffPods(known: ReadonlyMap<string, Pod>, snapshot: readonly Pod[]): PodDiff {
  const add: Pod[] = [];
  const update: Pod[] = [];
  const deleted: Pod[] = [];
  const reconcile: Pod[] = [];
  const next = new Map<string, Pod>();
  for (const pod of snapshot) {
    const uid = pod.metadata?.uid ?? '';
    const before = known.get(uid);
    if (before === undefined) {
      add.push(pod);
      next.set(uid, pod);
    } else if (differsInMeaning(before, pod)) {
      (pod.metadata?.deletionTimestamp === undefined ? update : deleted).push(pod);
      next.set(uid, pod);
    } else if (!isDeepStrictEqual(before.status, pod.status)) {
      reconcile.push(pod);
      next.set(uid, pod);
    } else {
      next.set(uid, before);
    }
  }
  const remove = [...known].filter(([uid]) => !next.has(uid)).map(([, pod]) => pod);
  return { add, update, remove, delete: deleted, reconcile, known: next };
}

/** Whether two versions of a pod differ in what matters to a node, the status aside. */
function differsInMeaning(a: Pod, b: Pod): boolean {
  return (
    !isDeepStrictEqual(a.spec, b.spec) ||
    !isDeepStrictEqual(a.metadata?.labels ?? {}, b.metadata?.labels ?? {}) ||
    a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp ||
    a.metadata?.deletionGracePeriodSeconds !== b.metadata?.deletionGracePeriodSeconds ||
    !isDeepStrictEqual(lastingAnnotations(a), lastingAnnotations(b))
  );
}

function lastingAnnotations(pod: Pod): object {
  return Object.fromEntries(
    Object.entries(pod.metadata?.annotations ?? {}).filter(([key]) => !localAnnotations.has(key)),
  );
}

/** A pod that cannot be run beside an earlier one of the same snapshot, and what the two have in common. */
export interface DuplicatePod {
  readonly pod: Pod;
  readonly same: 'name' | 'UID';
}

/** Splits off the pods whose full name or UID an earlier pod of the snapshot has: what is known and run goes by both. */
export function splitDuplicates(snapshot: readonly Pod[]): {
  readonly pods: readonly Pod[];
  readonly duplicates: readonly DuplicatePod[];
} {
  const names = new Set<string>();
  const uids = new Set<string | undefined>();
  const pods: Pod[] = [];
  const duplicates: DuplicatePod[] = [];
  for (const pod of snapshot) {
    const fullName = podFullName(pod);
    const uid = pod.metadata?.uid;
    if (names.has(fullName)) duplicates.push({ pod, same: 'name' });
    else if (uids.has(uid)) duplicates.push({ pod, same: 'UID' });
    else {
      pods.push(pod);
      names.add(fullName);
      uids.add(uid);
    }
  }
  return { pods, duplicates };
}
