import { isKubeError, type KubeError } from '@rxlet/kube-api/client';
import type { Clock, LogFields, Logger } from '@rxlet/component-base';
import { createLineBudget, type LineBudget } from '../watch/json-lines.ts';

/**
 * State of the API server as its clients see it. It logs the begin and the end of a failure that concerns all requests, or all watches of a resource, and not what each
 * of them meets: a node has a watch for each ConfigMap and Secret of its pods.
 */
export interface ServerState {
  requestSucceeded(): void;
  /** Records the failure of a request. One that concerns its own object only is the caller's. */
  requestFailed(error: unknown): void;
  /** Records the failure of a watch that the API server answered. */
  watchFailed(resource: string, error: KubeError, fields: LogFields): void;
  watchConnected(resource: string): void;
  /** Records a periodic bookmark of a watch. */
  bookmarkReceived(): void;
  /** Whether the API server sends bookmarks. It then sends them on every watch of a resource that it caches. */
  readonly sendsBookmarks: boolean;
  /** Counts a watch as open. @returns a function that ends this */
  watchOpened(resource: string): () => void;
  /** Number of open watches by resource. */
  readonly openWatches: ReadonlyMap<string, number>;
  /** Memory for the incomplete lines of watches. */
  readonly incompleteLines: LineBudget;
  /** Calls `listener` each time that the API server can be reached again. @returns a function that ends this */
  onAnsweringAgain(listener: () => void): () => void;
}

/** Reasons that are not about the object of a request. */
const SERVER_REASONS: ReadonlySet<string> = new Set([
  'Unreachable',
  'DeadlineExceeded',
  'InvalidCredentials',
  'InvalidResponse',
  'Unauthorized',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
  'Timeout',
  'ServerTimeout',
]);

/** Reasons of requests without an answer. */
const UNREACHABLE: ReadonlySet<string> = new Set(['Unreachable', 'DeadlineExceeded']);

const ANSWERS_AGAIN = 'the API server answers again';
/** Shortest time between two lines about one failure that comes and goes. */
const QUIET_MS = 60_000;

interface Failure {
  /** Whether nothing has succeeded since. */
  isPresent: boolean;
  /** Whether the line of its begin was logged, so that the line of its end is too. */
  isLogged: boolean;
  loggedMs: number;
}

/** Reports whether a failure concerns all requests. */
export function isServerFailure(error: unknown): error is KubeError {
  return isKubeError(error) && SERVER_REASONS.has(error.reason);
}

/** Creates a {@link ServerState}. It has one entry for each reason, and for each resource with a reason. */
export function createServerState(clock: Pick<Clock, 'monotonicNow'>, logger: Logger): ServerState {
  const serverFailures = new Map<string, Failure>();
  const watchFailures = new Map<string, Map<string, Failure>>();
  const listeners = new Set<() => void>();
  const openWatches = new Map<string, number>();
  let sendsBookmarks = false;

  const begin = (failures: Map<string, Failure>, key: string, message: string, fields: LogFields): void => {
    const known = failures.get(key);
    if (known?.isPresent === true) {
      logger.debug(message, fields);
      return;
    }
    const nowMs = clock.monotonicNow();
    const isLogged = known === undefined || nowMs - known.loggedMs >= QUIET_MS;
    failures.set(key, { isPresent: true, isLogged, loggedMs: isLogged ? nowMs : known.loggedMs });
    (isLogged ? logger.warn : logger.debug)(message, fields);
  };
  /** @returns the reasons of the failures that have ended */
  const end = (
    failures: ReadonlyMap<string, Failure> = new Map(),
    message: string,
    fields: LogFields = {},
  ): readonly string[] => {
    const present = [...failures].filter(([, { isPresent }]) => isPresent);
    if (present.length === 0) return [];
    const isLogged = present.some(([, failure]) => failure.isLogged);
    for (const [, failure] of present) failure.isPresent = false;
    (isLogged ? logger.info : logger.debug)(message, fields);
    return present.map(([reason]) => reason);
  };
  const answered = (): void => {
    const ended = end(serverFailures, ANSWERS_AGAIN);
    if (ended.some((reason) => UNREACHABLE.has(reason))) for (const listener of [...listeners]) listener();
  };

  return {
    watchOpened(resource) {
      openWatches.set(resource, (openWatches.get(resource) ?? 0) + 1);
      return () => void openWatches.set(resource, openWatches.get(resource)! - 1);
    },
    openWatches,
    bookmarkReceived() {
      sendsBookmarks = true;
    },
    get sendsBookmarks() {
      return sendsBookmarks;
    },
    incompleteLines: createLineBudget(),
    requestSucceeded: answered,
    requestFailed(error) {
      if (!isServerFailure(error)) {
        // A rejection of one request is an answer.
        if (isKubeError(error) && error.code !== undefined) answered();
        return;
      }
      const { reason, message } = error;
      begin(serverFailures, reason, 'cannot use the API server; requests are repeated', { reason, error: message });
    },
    watchFailed(resource, { reason, message }, fields) {
      const failures = watchFailures.get(resource) ?? new Map<string, Failure>();
      watchFailures.set(resource, failures);
      begin(failures, reason, 'cannot watch; the watch is repeated', { ...fields, reason, error: message });
    },
    watchConnected: (resource) => void end(watchFailures.get(resource), 'the watch is connected again', { resource }),
    onAnsweringAgain(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
