import { type CheckedPod, type PodSource, type PodSourceProblem, problemPod } from '@rxlet/agent-api/sources';
import { errorMessage } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, PodAnnotation, podFullName, podUid } from '@rxlet/pod-model';
import { checkIdentity, checkPod } from './check-pod.ts';
import { describeFields } from '@rxlet/pod-model/validation';
import { diffPods, type DuplicatePod, type PodDiff, splitDuplicates } from './diff-pods.ts';

/** Pods of a source after a change. */
export interface ReplacedPods {
  readonly diff: PodDiff;
  /** All present problems. */
  readonly problems: readonly PodSourceProblem[];
}

/** Known pods of one source. */
export interface SourcePods {
  /** In the order of the source. */
  pods(): readonly Pod[];
  /** Returns a pod by its UID. */
  find(podUid: string): Pod | undefined;
  /** Returns a pod by its full name. */
  findNamed(fullName: string): Pod | undefined;
  /** Reports whether the source has a pod of this UID that is left out because it is invalid. */
  isInvalid(podUid: string): boolean;
  /** Replaces all pods. */
  replace(snapshot: readonly Pod[]): ReplacedPods;
  /** Adds or replaces pods of the snapshot. Other pods are checked only if one is invalid or contested, now or before. */
  put(pods: readonly Pod[]): ReplacedPods;
  /** Removes pods of the snapshot, with the same checks. */
  remove(pods: readonly Pod[]): ReplacedPods;
  /** Adds or updates pods. Leaves out those that only a snapshot can decide on: invalid ones, and those that have the name or UID of another pod. */
  upsert(pods: readonly Pod[]): PodDiff;
}

interface PreparedPod {
  /** With the annotations of the source. */
  readonly pod: Pod;
  /** As the source emitted it. */
  readonly original: Pod;
}

/** Creates {@link SourcePods}. `now` returns the time of the annotation `kubernetes.io/config.seen`. */
export function createSourcePods(
  source: Pick<PodSource, 'name' | 'check' | 'manifestOf'>,
  now: () => string,
): SourcePods {
  /** By UID, with the annotations of the source. */
  let known = new Map<string, Pod>();
  /** UIDs by full name. */
  let names = new Map<string, string>();
  /** The valid pods as the source emitted them, by UID: a pod that is the same object is neither checked nor compared again. */
  let emitted = new Map<string, Pod>();
  /** All pods of the latest snapshot, those that are left out as well. */
  let listed = new Map<string, Pod>();
  let problems: readonly PodSourceProblem[] = [];
  let invalidUids: ReadonlySet<string> = new Set();

  const annotate = (pod: Pod): Pod => {
    const seen = known.get(podUid(pod))?.metadata?.annotations?.[PodAnnotation.configSeen] ?? now();
    const annotations = {
      ...pod.metadata?.annotations,
      [PodAnnotation.configSource]: source.name,
      [PodAnnotation.configSeen]: seen,
    };
    return { ...pod, metadata: { ...pod.metadata, annotations } };
  };
  /** A pod whose check fails affects no other. */
  const check = (pod: Pod): CheckedPod => {
    try {
      if (source.check === undefined) return checkPod(pod);
      const identity = checkIdentity(pod);
      return 'problems' in identity ? identity : source.check(pod);
    } catch (error) {
      return { problems: [{ field: 'pod', message: `cannot be checked: ${errorMessage(error)}` }] };
    }
  };
  /** Returns the pod with its annotations, or the problem for which it is left out. */
  const prepare = (pod: Pod): { readonly pod?: Pod | undefined; readonly problem?: PodSourceProblem } => {
    const uid = podUid(pod);
    const before = known.get(uid);
    if (before !== undefined && emitted.get(uid) === pod) return { pod: before };
    const checked = check(pod);
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

  const replace = (snapshot: readonly Pod[]): ReplacedPods => {
    const found: PodSourceProblem[] = [];
    const originals = new Map<Pod, Pod>();
    const invalid = new Set<Pod>();
    for (const pod of snapshot) {
      const prepared = prepare(pod);
      if (prepared.problem !== undefined) {
        found.push(prepared.problem);
        invalid.add(pod);
      }
      if (prepared.pod !== undefined) originals.set(prepared.pod, pod);
    }
    invalidUids = new Set(found.flatMap(({ pod }) => pod?.uid ?? []));
    const { pods, duplicates } = splitDuplicates(known, [...originals.keys()]);
    const original = (pod: Pod): Pod => originals.get(pod) ?? pod;
    found.push(...duplicates.map((duplicate) => duplicateProblem(duplicate, original)));
    const diff = diffPods(known, pods);
    known = new Map(diff.known);
    names = new Map(pods.map((pod) => [podFullName(pod), podUid(pod)]));
    emitted = new Map(
      pods.map((pod) => [podUid(pod), original(pod)] as const).filter(([, emittedPod]) => !invalid.has(emittedPod)),
    );
    listed = new Map(snapshot.map((pod) => [keyOf(pod), pod]));
    problems = found;
    return { diff, problems };
  };

  /** Returns the pod with its annotations; `undefined` for one that is invalid or contested. */
  const prepareAlone = (original: Pod): PreparedPod | undefined => {
    const { pod, problem } = prepare(original);
    return pod === undefined || problem !== undefined || isContested(pod) ? undefined : { pod, original };
  };
  const take = (prepared: readonly PreparedPod[]): PodDiff => {
    const before = new Map(prepared.flatMap(({ pod }) => entryOf(podUid(pod))));
    const diff = diffPods(
      before,
      prepared.map(({ pod }) => pod),
    );
    for (const { pod, original } of prepared) {
      names.set(podFullName(pod), podUid(pod));
      emitted.set(podUid(pod), original);
    }
    for (const [uid, pod] of diff.known) known.set(uid, pod);
    return diff;
  };
  const entryOf = (uid: string): readonly (readonly [string, Pod])[] => {
    const pod = known.get(uid);
    return pod === undefined ? [] : [[uid, pod]];
  };
  /** Adds or replaces pods without a check of others. Changes nothing and returns `undefined` when one of them is invalid or contested. */
  const putAlone = (pods: readonly Pod[]): PodDiff | undefined => {
    const prepared = pods.map(prepareAlone).filter((each) => each !== undefined);
    const areDistinct = new Set(prepared.flatMap(({ pod }) => [`/${podUid(pod)}`, podFullName(pod)])).size;
    return areDistinct === 2 * pods.length ? take(prepared) : undefined;
  };

  return {
    pods: () => [...known.values()],
    find: (uid) => known.get(uid),
    findNamed: (fullName) => known.get(names.get(fullName) ?? ''),
    isInvalid: (uid) => invalidUids.has(uid),
    replace,
    remove(pods) {
      for (const pod of pods) listed.delete(keyOf(pod));
      if (problems.length > 0) return replace([...listed.values()]);
      const gone = pods.flatMap((pod) => known.get(podUid(pod)) ?? []);
      for (const pod of gone) {
        names.delete(podFullName(pod));
        known.delete(podUid(pod));
        emitted.delete(podUid(pod));
      }
      return { diff: { ...diffPods(new Map(), []), remove: gone }, problems };
    },
    put(pods) {
      for (const pod of pods) listed.set(keyOf(pod), pod);
      const diff = problems.length > 0 ? undefined : putAlone(pods);
      return diff === undefined ? replace([...listed.values()]) : { diff, problems };
    },
    upsert(pods) {
      return take(pods.map(prepareAlone).filter((each) => each !== undefined));
    },
  };
}

/** Returns the identity of a pod within its source. */
function keyOf(pod: Pod): string {
  return `${podUid(pod)}/${podFullName(pod)}`;
}

/** Returns the pod for a message, as far as it has an identity. */
function describe(pod: Pod): string {
  return pod.metadata?.name && pod.metadata.uid ? formatPod(pod) : goQuote(pod.metadata?.name ?? '');
}
