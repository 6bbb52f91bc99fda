import type { PodChange } from '@rxlet/agent-api';
import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import type { Pod } from '@rxlet/kube-api';
import { from, map, merge, mergeMap, type Observable, pairwise } from 'rxjs';
import type { KubeletServerPorts } from '../ports.ts';

/** Annotation of a shown pod whose manifest is broken, so that its last good version runs; the value is the problem. Only in answers, never stored. */
export const SOURCE_PROBLEM_ANNOTATION = 'rxlet.dev/source-problem';

/** Returns the pods with the problems of their manifests. A problem that appears or ends is a change of its pod. */
export function markSourceProblems(
  pods: KubeletServerPorts['pods'],
  problems: NonNullable<KubeletServerPorts['sourceProblems']>,
): KubeletServerPorts['pods'] {
  const markAll = (list: readonly Pod[]): readonly Pod[] => {
    const messages = messagesByUid(problems.value);
    return messages.size === 0 ? list : list.map((pod) => mark(pod, messages));
  };
  const markChange = (change: PodChange): PodChange => ({ ...change, pod: markAll([change.pod])[0]! });
  const problemChanges$: Observable<PodChange> = problems.value$.pipe(
    pairwise(),
    mergeMap(([before, after]) => {
      const changed = changedUids(messagesByUid(before), messagesByUid(after));
      return from(pods.list().filter(({ metadata }) => changed.has(metadata?.uid ?? '')));
    }),
    map((pod): PodChange => ({ type: 'MODIFIED', pod })),
  );
  return {
    list: () => markAll(pods.list()),
    changes$: merge(pods.changes$, problemChanges$).pipe(map(markChange)),
  };
}

function messagesByUid(problems: readonly PodSourceProblem[]): ReadonlyMap<string, string> {
  return new Map(
    problems.flatMap(({ pod, isPodKept, message }) =>
      pod !== undefined && isPodKept === true ? [[pod.uid, message] as const] : [],
    ),
  );
}

function changedUids(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlySet<string> {
  const uids = [...before.keys(), ...after.keys()];
  return new Set(uids.filter((uid) => before.get(uid) !== after.get(uid)));
}

function mark(pod: Pod, messages: ReadonlyMap<string, string>): Pod {
  const message = messages.get(pod.metadata?.uid ?? '');
  if (message === undefined) return pod;
  const annotations = { ...pod.metadata?.annotations, [SOURCE_PROBLEM_ANNOTATION]: message };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
