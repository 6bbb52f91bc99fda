import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, podFullName, podUid } from '@rxlet/pod-model';

/** Changes from one snapshot of a source to the next. */
export interface PodDiff {
  /** New pods. */
  readonly add: readonly Pod[];
  /** Pods whose spec or metadata changed. */
  readonly update: readonly Pod[];
  /** Pods that are gone. */
  readonly remove: readonly Pod[];
  /** Pods that changed and must be deleted gracefully: they have a deletionTimestamp. */
  readonly delete: readonly Pod[];
  /** Pods of which only the status changed. */
  readonly reconcile: readonly Pod[];
  /** All pods, by UID. Unchanged pods are the same objects as before. */
  readonly known: ReadonlyMap<string, Pod>;
}

/** Annotations about the way of a pod to this node. They do not distinguish two versions of a pod. */
const localAnnotations: ReadonlySet<string> = new Set([
  PodAnnotation.configSource,
  PodAnnotation.configMirror,
  PodAnnotation.configSeen,
]);

/** Compares a snapshot with the known pods of its source, by UID. A pod with another UID is another pod, whatever its name. */
export function diffPods(known: ReadonlyMap<string, Pod>, snapshot: readonly Pod[]): PodDiff {
  const add: Pod[] = [];
  const update: Pod[] = [];
  const deleted: Pod[] = [];
  const reconcile: Pod[] = [];
  const next = new Map<string, Pod>();
  for (const pod of snapshot) {
    const uid = podUid(pod);
    const before = known.get(uid);
    if (before === undefined) {
      add.push(pod);
      next.set(uid, pod);
    } else if (before === pod) {
      next.set(uid, before);
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

/** Reports whether two versions of a pod differ for a node, apart from their status. */
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

/** A pod that has the full name or the UID of another pod of the same snapshot. */
export interface DuplicatePod {
  readonly pod: Pod;
  /** The pod that is used. */
  readonly other: Pod;
  readonly same: 'name' | 'UID';
}

/** Splits off the pods whose full name or UID another pod of the snapshot has. Pods that are known already win, then the first in the snapshot. */
export function splitDuplicates(
  known: ReadonlyMap<string, Pod>,
  snapshot: readonly Pod[],
): { readonly pods: readonly Pod[]; readonly duplicates: readonly DuplicatePod[] } {
  const byName = new Map<string, Pod>();
  const byUid = new Map<string, Pod>();
  const duplicates: DuplicatePod[] = [];
  const isKnown = (pod: Pod): boolean => {
    const before = known.get(podUid(pod));
    return before !== undefined && podFullName(before) === podFullName(pod);
  };
  const take = (pod: Pod): boolean => {
    const fullName = podFullName(pod);
    const sameName = byName.get(fullName);
    const other = sameName ?? byUid.get(podUid(pod));
    if (other !== undefined) {
      duplicates.push({ pod, other, same: sameName === undefined ? 'UID' : 'name' });
      return false;
    }
    byName.set(fullName, pod);
    byUid.set(podUid(pod), pod);
    return true;
  };
  const taken = new Set<number>();
  for (const wanted of [true, false]) {
    snapshot.forEach((pod, index) => {
      if (isKnown(pod) === wanted && take(pod)) taken.add(index);
    });
  }
  return { pods: snapshot.filter((_, index) => taken.has(index)), duplicates };
}
