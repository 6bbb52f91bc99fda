import type { PodSource, PodSourceProblem } from '@rxlet/agent-api';
import { goQuote } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, PodAnnotation, podFullName, podUid } from '@rxlet/pod-model';
import { checkPod, describeFields } from './check-pod.ts';
import { diffPods, type DuplicatePod, type PodDiff, splitDuplicates } from './diff-pods.ts';
import { problemPod } from './problem-ledger.ts';

/** Known pods of one source. */
export interface SourcePods {
  /** In the order of the source. */
  pods(): readonly Pod[];
  /** Replaces all pods. */
  replace(snapshot: readonly Pod[]): { readonly diff: PodDiff; readonly problems: readonly PodSourceProblem[] };
  /** Adds or updates pods. Leaves out those that only a snapshot can decide on: invalid ones, and those that have the name or UID of another pod. */
  upsert(pods: readonly Pod[]): PodDiff;
}

/** Creates {@link SourcePods}. `now` returns the time of the annotation `kubernetes.io/config.seen`. */
export function createSourcePods(
  source: Pick<PodSource, 'name' | 'validation' | 'manifestOf'>,
  now: () => string,
): SourcePods {
  /** By UID, with the annotations of the source. */
  let known = new Map<string, Pod>();
  /** UIDs by full name. */
  let names = new Map<string, string>();
  /** The pods as the source emitted them, by UID: a pod that is the same object is neither checked nor compared again. */
  let emitted = new Map<string, Pod>();

  const annotate = (pod: Pod): Pod => {
    const seen = known.get(podUid(pod))?.metadata?.annotations?.[PodAnnotation.configSeen] ?? now();
    const annotations = {
      ...pod.metadata?.annotations,
      [PodAnnotation.configSource]: source.name,
      [PodAnnotation.configSeen]: seen,
    };
    return { ...pod, metadata: { ...pod.metadata, annotations } };
  };
  /** Returns the pod as it is known, or the problem for which it is left out. */
  const prepare = (pod: Pod): { readonly pod?: Pod | undefined; readonly problem?: PodSourceProblem } => {
    const uid = podUid(pod);
    const before = known.get(uid);
    if (before !== undefined && emitted.get(uid) === pod) return { pod: before };
    const checked = checkPod(pod, source.validation);
    if ('pod' in checked) return { pod: annotate(checked.pod) };
    const path = source.manifestOf?.(pod) ?? '';
    const keeps = before === undefined ? '' : '; its last good version is kept';
    const message = `pod ${describe(pod)} of source ${goQuote(source.name)} is rejected: ${describeFields(checked.problems)}${keeps}`;
    const problem = { source: source.name, path, reason: 'InvalidPod', message, pod: problemPod(pod) } as const;
    return { pod: before, problem: before === undefined ? problem : { ...problem, isPodKept: true } };
  };
  const duplicateProblem = ({ pod, other, same }: DuplicatePod, original: (pod: Pod) => Pod): PodSourceProblem => {
    const shared = same === 'name' ? `pod name ${goQuote(podFullName(pod))}` : `pod UID ${goQuote(podUid(pod))}`;
    const [path, otherPath] = [pod, other].map((each) => source.manifestOf?.(original(each)));
    const files =
      path === undefined || otherPath === undefined
        ? ''
        : ` (${path} repeats ${otherPath}; change or remove one of them)`;
    const message = `Error validating pod ${formatPod(pod)} from ${source.name} due to duplicate ${shared}, ignoring${files}`;
    return { source: source.name, path: path ?? '', reason: 'DuplicatePod', message, pod: problemPod(pod) };
  };

  /** Reports whether another pod has the name or the UID of this one. */
  const isContested = (pod: Pod): boolean => {
    const uid = podUid(pod);
    const [fullName, earlier] = [podFullName(pod), known.get(uid)];
    return (names.get(fullName) ?? uid) !== uid || (earlier !== undefined && podFullName(earlier) !== fullName);
  };

  return {
    pods: () => [...known.values()],
    replace(snapshot) {
      const problems: PodSourceProblem[] = [];
      const originals = new Map<Pod, Pod>();
      for (const pod of snapshot) {
        const prepared = prepare(pod);
        if (prepared.problem !== undefined) problems.push(prepared.problem);
        if (prepared.pod !== undefined) originals.set(prepared.pod, pod);
      }
      const { pods, duplicates } = splitDuplicates(known, [...originals.keys()]);
      const original = (pod: Pod): Pod => originals.get(pod) ?? pod;
      problems.push(...duplicates.map((duplicate) => duplicateProblem(duplicate, original)));
      const diff = diffPods(known, pods);
      known = new Map(diff.known);
      names = new Map(pods.map((pod) => [podFullName(pod), podUid(pod)]));
      emitted = new Map(pods.map((pod) => [podUid(pod), original(pod)]));
      return { diff, problems };
    },
    upsert(pods) {
      const before = new Map<string, Pod>();
      const accepted: Pod[] = [];
      for (const pod of pods) {
        const { pod: prepared, problem } = prepare(pod);
        if (prepared === undefined || problem !== undefined || isContested(prepared)) continue;
        const uid = podUid(prepared);
        const earlier = known.get(uid);
        if (earlier !== undefined) before.set(uid, earlier);
        names.set(podFullName(prepared), uid);
        emitted.set(uid, pod);
        accepted.push(prepared);
      }
      const diff = diffPods(before, accepted);
      for (const [uid, pod] of diff.known) known.set(uid, pod);
      return diff;
    },
  };
}

/** Returns the pod for a message, as far as it has an identity. */
function describe(pod: Pod): string {
  return pod.metadata?.name && pod.metadata.uid ? formatPod(pod) : goQuote(pod.metadata?.name ?? '');
}
