import type { PodChange, PodList } from '@rxlet/agent-api';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createBoundedQueue } from '@rxlet/component-base/queues';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { map, share } from 'rxjs';
import { PodsApiError } from './pods-api-error.ts';
import { encodePod } from './wire/encode-pod.ts';

/** Events that a slow watcher may have outstanding, as in the kubelet. */
const WATCH_CAPACITY = 100;

/** Ports of {@link createPodsApi}. */
export interface PodsApiPorts {
  /** The pods of the node with their statuses. */
  readonly pods: Pick<PodList, 'list' | 'changes$'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly metrics: Metrics;
}

/** An event of a watch. */
export interface PodsApiEvent {
  readonly type: PodChange['type'] | 'INITIAL_SYNC_COMPLETE';
  /** The encoded pod: only name, namespace and UID of a deleted one; nothing with `INITIAL_SYNC_COMPLETE`. */
  readonly pod: Uint8Array;
}

/** Answers of the pods API, with pods in the format of {@link encodePod}. */
export interface PodsApi {
  /** Returns all pods, sorted by UID. @throws PodsApiError `Internal` */
  list(): Uint8Array[];
  /** @throws PodsApiError `NotFound`, `Internal` */
  get(uid: string): Uint8Array;
  /**
   * Returns the pods as `ADDED`, then `INITIAL_SYNC_COMPLETE`, then all changes. It throws the signal's reason when that aborts, and a {@link PodsApiError}:
   * `ResourceExhausted` when the watcher is more than 100 changes behind, `Unavailable` when the agent stops, `Internal` for a pod that cannot be encoded.
   */
  watch(signal: AbortSignal): AsyncGenerator<PodsApiEvent, void, undefined>;
}

/** Creates a {@link PodsApi}. */
export function createPodsApi({ pods, logger, metrics }: PodsApiPorts): PodsApi {
  const dropped = metrics.counter({
    name: 'kubelet_pod_watch_events_dropped_total',
    help: '[ALPHA] Cumulative number of pod watch events dropped.',
  });
  // Encoded once for all watchers, and not at all without one.
  const events$ = pods.changes$.pipe(map(encodeChange), share());
  const sorted = (): Pod[] => pods.list().toSorted((a, b) => (podUid(a) < podUid(b) ? -1 : 1));
  const encode = (pod: Pod): Uint8Array => answered(() => encodePod(pod), 'failed to marshal pod');

  return {
    list: () => sorted().map(encode),
    get(uid) {
      const pod = pods.list().find((each) => podUid(each) === uid);
      if (pod === undefined) throw new PodsApiError('NotFound', `pod with UID ${uid} not found`);
      return encode(pod);
    },
    async *watch(signal) {
      const queue = createBoundedQueue<PodsApiEvent>({ capacity: WATCH_CAPACITY, signal });
      const subscription = events$.subscribe({
        next(event) {
          if (queue.push(event)) return;
          subscription.unsubscribe();
          queue.close(new PodsApiError('ResourceExhausted', 'watch client channel closed'));
          dropped.inc();
          logger.info('ended a watch of pods: the client is too slow', { capacity: WATCH_CAPACITY });
        },
        error(error: unknown) {
          queue.close(failure('error marshalling watch event pod', error));
          dropped.inc();
        },
        complete: () => queue.close(new PodsApiError('Unavailable', 'the agent is stopping')),
      });
      try {
        // In the turn of the subscription, so that no change is missed and none is sent twice.
        for (const pod of sorted()) {
          signal.throwIfAborted();
          yield { type: 'ADDED', pod: answered(() => encodePod(pod), 'error marshalling initial watch event pod') };
        }
        yield { type: 'INITIAL_SYNC_COMPLETE', pod: new Uint8Array() };
        yield* queue;
      } finally {
        subscription.unsubscribe();
      }
    },
  };
}

function encodeChange({ type, pod }: PodChange): PodsApiEvent {
  if (type !== 'DELETED') return { type, pod: encodePod(pod) };
  const { name, namespace, uid } = pod.metadata ?? {};
  return { type, pod: encodePod({ metadata: { name, namespace, uid } }) };
}

function answered<T>(answer: () => T, problem: string): T {
  try {
    return answer();
  } catch (error) {
    throw failure(problem, error);
  }
}

function failure(problem: string, cause: unknown): PodsApiError {
  return new PodsApiError('Internal', `${problem}: ${errorMessage(cause)}`, { cause });
}
