import { BehaviorSubject, Subject, type Observable } from 'rxjs';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventRecorder,
  goQuote,
  type Logger,
  noopEventRecorder,
  noopLogger,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, PodAnnotation, podEventObject, podFullName } from '@rxlet/pod-model';
import { diffPods, splitDuplicates } from './diff-pods.ts';
import type { PodSnapshotSource } from './pod-snapshot-source.ts';
import type { SourceProblem } from './source-problem.ts';

/** What to do with the pods of a {@link PodUpdate}. */
export type PodOperation =
  /** They are new. An ADD without pods tells that its source is ready. */
  | 'ADD'
  /** Spec or metadata changed. */
  | 'UPDATE'
  /** They are gone from their source. */
  | 'REMOVE'
  /** They are to be terminated gracefully; they go from their source afterwards. */
  | 'DELETE'
  /** Only their status changed there. */
  | 'RECONCILE';

/** A change in the pods that this node should run. */
export interface PodUpdate {
  readonly op: PodOperation;
  /** Name of the source. */
  readonly source: string;
  /** With annotations `kubernetes.io/config.source` and `kubernetes.io/config.seen`. */
  readonly pods: readonly Pod[];
}

/** What {@link createPodConfig} needs. */
export interface PodConfigPorts {
  readonly clock: Clock;
  /** Started and disposed of with the pod config, which takes them over. Their names are different. */
  readonly sources: readonly PodSnapshotSource[];
  readonly events?: EventRecorder;
  readonly logger?: Logger;
}

/** All pods that this node should run, from all sources. */
export interface PodConfig extends AsyncDisposable {
  /**
   * Changes in order; of one snapshot: REMOVE, ADD, UPDATE, DELETE, RECONCILE. Hot, without replay: subscribe before `start()`. Completes on disposal.
   */
  readonly updates$: Observable<PodUpdate>;
  /** The problems of all sources. Hot; completes on disposal. */
  readonly problems$: Observable<SourceProblem>;
  /** The names of the sources that told their pods at least once. Replays; completes on disposal. */
  readonly readySources$: Observable<ReadonlySet<string>>;
  /** Whether every source told its pods at least once. Only then is it sure that a pod in the runtime belongs to none. */
  sourcesReady(): boolean;
  /** All pods at present, by source, then in the order of their source. */
  pods(): readonly Pod[];
  /** Starts the sources. Later calls do nothing. */
  start(): void;
}

/** Creates a {@link PodConfig}. @throws TypeError when two sources have one name. */
export function createPodConfig(ports: PodConfigPorts): PodConfig {
  const { clock, sources, events = noopEventRecorder, logger = noopLogger } = ports;
  const names = new Set(sources.map(({ name }) => name));
  if (names.size !== sources.length) throw new TypeError('two pod sources have the same name');
  const lifetime = createLifetime();
  const updates$ = new Subject<PodUpdate>();
  const problems$ = new Subject<SourceProblem>();
  const readySources$ = new BehaviorSubject<ReadonlySet<string>>(new Set());
  /** Per source, the pods by UID. */
  const known = new Map<string, ReadonlyMap<string, Pod>>(sources.map(({ name }) => [name, new Map<string, Pod>()]));

  const stamp = (source: string, pod: Pod, before: Pod | undefined): Pod => {
    const seen = before?.metadata?.annotations?.[PodAnnotation.configSeen] ?? rfc3339Nano(clock.now());
    const annotations = {
      ...pod.metadata?.annotations,
      [PodAnnotation.configSource]: source,
      [PodAnnotation.configSeen]: seen,
    };
    return { ...pod, metadata: { ...pod.metadata, annotations } };
  };

  const merge = (source: string, snapshot: readonly Pod[]): void => {
    const before = known.get(source)!;
    const { pods, duplicates } = splitDuplicates(snapshot);
    for (const { pod, same } of duplicates) {
      const what =
        same === 'name' ? `pod name ${goQuote(podFullName(pod))}` : `pod UID ${goQuote(pod.metadata?.uid ?? '')}`;
      const message = `Error validating pod ${formatPod(pod)} from ${source} due to duplicate ${what}, ignoring`;
      events.event(podEventObject(pod), 'Warning', 'FailedValidation', message);
      logger.warn(message, { source });
    }
    const stamped = pods.map((pod) => stamp(source, pod, before.get(pod.metadata?.uid ?? '')));
    const diff = diffPods(before, stamped);
    known.set(source, diff.known);
    const first = !readySources$.value.has(source);
    const emit = (op: PodOperation, changed: readonly Pod[]): void => {
      if (changed.length > 0) updates$.next({ op, source, pods: changed });
    };
    emit('REMOVE', diff.remove);
    emit('ADD', diff.add);
    emit('UPDATE', diff.update);
    emit('DELETE', diff.delete);
    if (first && pods.length === 0) updates$.next({ op: 'ADD', source, pods: [] });
    emit('RECONCILE', diff.reconcile);
    // Only now: who acts on a complete set of pods must have been told of them.
    if (first) readySources$.next(new Set([...readySources$.value, source]));
  };

  const follow = (source: PodSnapshotSource): void => {
    const snapshots = source.snapshots$.subscribe({
      next: (snapshot) => merge(source.name, snapshot),
      error: (error: unknown) => {
        const message = `pod source ${source.name} has failed, its pods stay as they are: ${errorMessage(error)}`;
        logger.error(message, { source: source.name });
        problems$.next({ source: source.name, path: '', reason: 'SourceUnavailable', message });
      },
    });
    const problems = source.problems$.subscribe({ next: (problem) => problems$.next(problem), error: () => undefined });
    lifetime.defer(() => {
      snapshots.unsubscribe();
      problems.unsubscribe();
    });
  };

  lifetime.defer(() => {
    updates$.complete();
    problems$.complete();
    readySources$.complete();
  });
  for (const source of sources) lifetime.defer(async () => source[Symbol.asyncDispose]());
  let started = false;
  return {
    updates$: updates$.asObservable(),
    problems$: problems$.asObservable(),
    readySources$: readySources$.asObservable(),
    sourcesReady: () => readySources$.value.size === sources.length,
    pods: () => [...known.values()].flatMap((pods) => [...pods.values()]),
    start() {
      if (started || lifetime.signal.aborted) return;
      started = true;
      for (const source of sources) follow(source);
      for (const source of sources) source.start();
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** RFC 3339 with the fraction as far as it is not zero, in UTC. */
function rfc3339Nano(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.?0+Z$/, 'Z');
}
