import type { PodSource, PodSourceChange, PodSourceProblem } from '@rxlet/agent-api/sources';
import { type Clock, createLifetime, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import { type EventRecorder, noopEventRecorder } from '@rxlet/component-base/events';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { createCurrentValue, createEmitter, type CurrentValue, follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import type { PodDiff } from './diff-pods.ts';
import { createProblemReports } from './problem-reports.ts';
import { createSourcePods, type ReplacedPods, type SourcePods } from './source-pods.ts';

/** Kind of a {@link PodUpdate}. */
export type PodOperation =
  /** The pods are new. An ADD without pods reports that its source is ready. */
  | 'ADD'
  /** Spec or metadata changed. */
  | 'UPDATE'
  /** The pods are gone from their source. */
  | 'REMOVE'
  /** The pods must be terminated gracefully; their source removes them afterwards. */
  | 'DELETE'
  /** Only the status changed in the source. */
  | 'RECONCILE';

/** A change in the desired pods of this node. */
export interface PodUpdate {
  readonly op: PodOperation;
  /** Name of the source. */
  readonly source: string;
  /** With annotations `kubernetes.io/config.source` and `kubernetes.io/config.seen`. */
  readonly pods: readonly Pod[];
}

/** Ports of {@link createPodConfig}. */
export interface PodConfigPorts {
  readonly clock: Clock;
  /** Started and disposed of by the pod config. Their names differ. Read at the start, so that sources can be added before. */
  readonly sources: readonly PodSource[];
  readonly events?: EventRecorder;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** The desired pods of this node, from all sources. */
export interface PodConfig extends AsyncDisposable {
  /**
   * Changes in order; those of one snapshot as REMOVE, ADD, UPDATE, DELETE, RECONCILE. Pods of a source may be added before its first complete reading.
   * Hot, without replay: subscribe before `start()`. Completes on disposal.
   */
  readonly updates$: Observable<PodUpdate>;
  /** Current problems of all sources and their pods. Completes on disposal. */
  readonly problems: CurrentValue<readonly PodSourceProblem[]>;
  /** Names of the sources that have read all their pods at least once. Replays; completes on disposal. */
  readonly readySources$: Observable<ReadonlySet<string>>;
  /** Reports whether every source has read all its pods at least once. Until then a pod of the runtime may belong to a source that is still reading. */
  sourcesReady(): boolean;
  /** Returns all current pods, by source, in the order of their source. */
  pods(): readonly Pod[];
  /** Returns a pod by its UID. */
  find(podUid: string): Pod | undefined;
  /** Returns a static pod by its full name; the first when several sources have one. */
  findStatic(fullName: string): Pod | undefined;
  /** Reports whether a source has a pod of this UID that is left out because it is invalid. It is still desired and must not be terminated. */
  isInvalid(podUid: string): boolean;
  /** Starts the sources. Later calls do nothing. @throws TypeError when two sources have the same name. */
  start(): void;
}

/** A started source. */
interface Entry {
  readonly source: PodSource;
  readonly known: SourcePods;
  /** Problems reported by the source, found in its pods, and of its stream. */
  reported: readonly PodSourceProblem[];
  found: readonly PodSourceProblem[];
  failed: readonly PodSourceProblem[];
}

/**
 * Creates a {@link PodConfig}. It has no pods before {@link PodConfig.start}.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createManualSource, createPodConfig } from '@rxlet/pod-config';
 *
 * await using config = createPodConfig({ clock: systemClock, sources: [createManualSource('mine')] });
 * config.updates$.subscribe(({ op, source, pods }) => console.log(op, source, pods.length));
 * config.start();
 * ```
 */
export function createPodConfig(ports: PodConfigPorts): PodConfig {
  const { clock, sources, events = noopEventRecorder, logger = noopLogger, metrics = noopMetrics } = ports;
  const lifetime = createLifetime();
  const updates = createEmitter<PodUpdate>();
  const problems = createCurrentValue<readonly PodSourceProblem[]>([]);
  const readySources = createCurrentValue<ReadonlySet<string>>(new Set());
  const report = createProblemReports({ events, logger, metrics });
  const changedPods = metrics.counter({
    name: 'rxlet_pod_updates_total',
    help: 'Number of changes of desired pods, by source and operation.',
    labelNames: ['source', 'operation'],
  });
  /** Started sources. */
  let entries: readonly Entry[] = [];

  const setProblems = (entry: Entry, changed: Partial<Pick<Entry, 'reported' | 'found' | 'failed'>>): void => {
    const count = entry.reported.length + entry.found.length + entry.failed.length;
    Object.assign(entry, changed);
    if (count + entry.reported.length + entry.found.length + entry.failed.length === 0) return;
    const present = entries.flatMap(({ reported, found, failed }) => [...reported, ...found, ...failed]);
    report(present);
    problems.set(present);
  };

  const emit = (source: string, diff: PodDiff, isFirst: boolean): void => {
    const emitOne = (op: PodOperation, pods: readonly Pod[]): void => {
      if (pods.length === 0) return;
      changedPods.inc({ source, operation: op }, pods.length);
      updates.emit({ op, source, pods });
    };
    emitOne('REMOVE', diff.remove);
    emitOne('ADD', diff.add);
    emitOne('UPDATE', diff.update);
    emitOne('DELETE', diff.delete);
    if (isFirst && diff.add.length === 0) updates.emit({ op: 'ADD', source, pods: [] });
    emitOne('RECONCILE', diff.reconcile);
  };

  const takeSnapshot = (entry: Entry, snapshot: readonly Pod[]): void => {
    const { name } = entry.source;
    const isFirst = !readySources.value.has(name);
    const { diff, problems: found } = entry.known.replace(snapshot);
    emit(name, diff, isFirst);
    setProblems(entry, { found });
    // Last: consumers that act on a complete set of pods must have received all of them.
    if (isFirst) readySources.set(new Set([...readySources.value, name]));
  };

  const takeChange = (entry: Entry, { removed = [], upserted = [] }: PodSourceChange): void => {
    const takePart = (pods: readonly Pod[], replaceWith: (pods: readonly Pod[]) => ReplacedPods): void => {
      if (pods.length === 0) return;
      const { diff, problems: found } = replaceWith(pods);
      emit(entry.source.name, diff, false);
      setProblems(entry, { found });
    };
    takePart(removed, entry.known.remove);
    takePart(upserted, entry.known.put);
  };

  const followSource = (entry: Entry): void => {
    const { source } = entry;
    const { name } = source;
    const subscriptions = [
      follow(source.problems$, {
        task: `handling problems of pod source ${name}`,
        logger,
        next: (reported) => setProblems(entry, { reported: reported.map((each) => ({ ...each, source: name })) }),
      }),
      follow(source.snapshots$, {
        task: `handling pods of source ${name}`,
        logger,
        next: (snapshot) => takeSnapshot(entry, snapshot),
        error(error) {
          const message = `pod source ${name} failed, its pods are kept: ${errorMessage(error)}`;
          setProblems(entry, { failed: [{ source: name, path: '', reason: 'SourceUnavailable', message }] });
        },
      }),
    ];
    if (source.upserts$ !== undefined) {
      subscriptions.push(
        follow(source.upserts$, {
          task: `handling pods of source ${name}`,
          logger,
          next: (pods) => emit(name, entry.known.upsert(pods), false),
        }),
      );
    }
    if (source.changes$ !== undefined) {
      subscriptions.push(
        follow(source.changes$, {
          task: `handling a changed pod of source ${name}`,
          logger,
          next: (change) => takeChange(entry, change),
        }),
      );
    }
    lifetime.defer(() => subscriptions.forEach((subscription) => subscription.unsubscribe()));
  };

  lifetime.defer(() => {
    updates.complete();
    problems.complete();
    readySources.complete();
  });
  lifetime.defer(async () => {
    await using disposal = new AsyncDisposableStack();
    for (const source of sources) disposal.use(source);
  });
  let started = false;
  return {
    updates$: updates.values$,
    problems,
    readySources$: readySources.value$,
    sourcesReady: () => started && readySources.value.size === entries.length,
    pods: () => entries.flatMap(({ known }) => known.pods()),
    find(podUid) {
      for (const { known } of entries) {
        const pod = known.find(podUid);
        if (pod !== undefined) return pod;
      }
      return undefined;
    },
    findStatic(fullName) {
      for (const { known } of entries) {
        const pod = known.findNamed(fullName);
        if (pod !== undefined && isStaticPod(pod)) return pod;
      }
      return undefined;
    },
    isInvalid: (podUid) => entries.some(({ known }) => known.isInvalid(podUid)),
    start() {
      if (started || lifetime.signal.aborted) return;
      const names = new Set(sources.map(({ name }) => name));
      if (names.size !== sources.length) throw new TypeError('two pod sources have the same name');
      started = true;
      entries = sources.map((source) => ({
        source,
        known: createSourcePods(source, () => rfc3339Nano(clock.now())),
        reported: [],
        found: [],
        failed: [],
      }));
      entries.forEach(followSource);
      for (const source of sources) source.start();
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Formats as RFC 3339 in UTC, without trailing zeros of the fraction. */
function rfc3339Nano(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.?0+Z$/, 'Z');
}
