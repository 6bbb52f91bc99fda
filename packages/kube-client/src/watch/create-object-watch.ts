import {
  createObjectCopy,
  isKubeError,
  KubeError,
  type KubeObject,
  type ObjectChange,
  type ObjectWatch,
  type WatchOptions,
} from '@rxlet/kube-api/client';
import { type Clock, createLifetime, type Logger, type Random, sleep } from '@rxlet/component-base';
import { createEmitter, currentThenChanges } from '@rxlet/component-base/streams';
import type { KubeResource } from '@rxlet/kube-api/resources';
import { checkCount, listAll } from '../request/list-all.ts';
import { collectionPath, withQuery } from '../request/request-path.ts';
import { asKubeError, type RequestSender } from '../request/request-sender.ts';
import { isExpired } from '../request/response-error.ts';
import { isServerFailure, type ServerState } from '../request/server-state.ts';
import { createJsonLines } from './json-lines.ts';
import { createWatchBackoff } from './watch-backoff.ts';
import { createUsableObjects } from './usable-objects.ts';
import { createWatchdog } from './watchdog.ts';
import type { WatchMetrics } from './watch-metrics.ts';
import { isNotNewer, parseWatchEvent } from './watch-event.ts';
import {
  afterAttempt,
  initialWatchState,
  nextAttempt,
  type WatchAttempt,
  type WatchOutcome,
  type WatchState,
  withVersion,
} from './watch-state.ts';

/** Parts of a client that watches use. */
export interface ObjectWatchPorts {
  readonly sender: RequestSender;
  readonly state: ServerState;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: WatchMetrics | undefined;
}

const DEFAULT_MIN_TIMEOUT_SECONDS = 300;
/** Time beyond the timeout that the API server was asked for, after which the client ends the connection itself. */
const TIMEOUT_MARGIN_MS = 30_000;
/** Longest silence before all objects are there. */
const INITIAL_EVENTS_TIMEOUT_MS = 30_000;
/** Longest silence of an API server that sends bookmarks, which it does about once a minute. */
const BOOKMARK_TIMEOUT_MS = 180_000;
/** A connection that ends sooner, without an event, was of no use. */
const USEFUL_MS = 1000;
const PAGE_SIZE = 500;

/** Creates a watch (client-go: Reflector and its store). */
export function createObjectWatch<T extends KubeObject>(
  { sender, state: server, clock, random, logger: parentLogger, metrics }: ObjectWatchPorts,
  resource: KubeResource<T>,
  {
    namespace,
    fieldSelector,
    labelSelector,
    isFirstListCurrent = false,
    minTimeoutSeconds = DEFAULT_MIN_TIMEOUT_SECONDS,
  }: WatchOptions,
): ObjectWatch<T> {
  const lifetime = createLifetime();
  const fields = { resource: resource.plural, ...(fieldSelector !== undefined && { fieldSelector }) };
  const logger = parentLogger.child(fields);
  const changes = createEmitter<ObjectChange<T>>();
  lifetime.defer(changes.complete);
  const copy = createObjectCopy<T>();
  const usable = createUsableObjects(resource, copy.find, logger);
  const backoff = createWatchBackoff({ clock, random });
  const selector = { fieldSelector, labelSelector };
  const path = collectionPath(resource, namespace);
  let state: WatchState = initialWatchState({ isFirstListCurrent });
  let isStarted = false;
  let isSynced = false;
  /** Whether the last connection was silent for too long. The API server may not send bookmarks of this resource. */
  let wasSilent = false;
  let problem: KubeError | undefined;

  const replaceAll = (objects: readonly T[], resourceVersion: string): void => {
    state = withVersion(state, resourceVersion);
    const found = copy.replace(usable.useAll(objects));
    if (isSynced) {
      found.forEach(changes.emit);
      return;
    }
    isSynced = true;
    changes.emit({ type: 'snapshot', objects: copy.list() });
  };

  const list = async (resourceVersion: string): Promise<WatchOutcome> => {
    const found = await listAll(
      sender,
      resource,
      { ...selector, namespace, limit: PAGE_SIZE, resourceVersion },
      lifetime.signal,
    );
    replaceAll(found.items, found.resourceVersion);
    return { type: 'listed' };
  };

  const failed = (failure: unknown, areAllRead: boolean, isAnswered: boolean): WatchOutcome => {
    const error = kubeError(failure);
    problem = error;
    // An API server that restarted has forgotten all versions. What concerns all requests has been logged with the request.
    if (isExpired(error)) logger.debug('the version of a watch is gone', { error: error.message });
    else if (isAnswered || !isServerFailure(error)) server.watchFailed(resource.plural, error, fields);
    return { type: 'failed', error, isSynced: areAllRead };
  };

  const idleTimeout = (): number => (server.sendsBookmarks && !wasSilent ? BOOKMARK_TIMEOUT_MS : Infinity);

  /** Reads one connection until it ends. */
  const follow = async (attempt: WatchAttempt): Promise<WatchOutcome> => {
    const timeoutSeconds = Math.floor(minTimeoutSeconds * (1 + random.next()));
    const streaming = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    const url = withQuery(path, {
      ...selector,
      ...(attempt.kind === 'stream' && streaming),
      resourceVersion: attempt.resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds,
      watch: true,
    });
    using watchdog = createWatchdog(clock, timeoutSeconds * 1000 + TIMEOUT_MARGIN_MS, lifetime.signal);
    const openedMs = clock.monotonicNow();
    const initial = new Map<string, T>();
    let isComplete = attempt.kind === 'watch';
    let isOpen = false;
    let events = 0;
    let closed = (): void => undefined;
    let idleTimeoutMs = isComplete ? idleTimeout() : INITIAL_EVENTS_TIMEOUT_MS;

    const handle = (line: unknown): void => {
      const event = parseWatchEvent<T>(line);
      if (events === 0) server.watchConnected(resource.plural);
      events += 1;
      if (event.type === 'BOOKMARK') {
        if (!isComplete && event.isEndOfInitialEvents) {
          isComplete = true;
          replaceAll([...initial.values()], event.resourceVersion);
          initial.clear();
          idleTimeoutMs = idleTimeout();
        } else if (isComplete) {
          if (!isNotNewer(event.resourceVersion, state.resourceVersion))
            state = withVersion(state, event.resourceVersion);
          server.bookmarkReceived();
          wasSilent = false;
          idleTimeoutMs = idleTimeout();
        }
        return;
      }
      metrics?.received(resource.plural);
      const key = `${event.object.metadata?.namespace ?? ''}/${event.object.metadata?.name ?? ''}`;
      if (!isComplete) {
        if (event.type === 'DELETED') initial.delete(key);
        else initial.set(key, event.object);
        checkCount(initial.size, resource);
        return;
      }
      // A server that repeats events must not bring earlier objects back.
      if (isNotNewer(event.resourceVersion, state.resourceVersion)) return;
      state = withVersion(state, event.resourceVersion);
      const object = usable.use(event.object);
      if (event.type === 'DELETED') usable.forget(event.object);
      if (object === undefined) return;
      if (event.type !== 'DELETED') checkCount(copy.size + 1, resource);
      (event.type === 'DELETED' ? copy.remove(object) : copy.put(object)).forEach(changes.emit);
    };

    const request = { method: 'GET', path: url, signal: watchdog.signal } as const;
    try {
      const { body } = await sender.open(request);
      isOpen = true;
      closed = server.watchOpened(resource.plural);
      using lines = createJsonLines(server.incompleteLines);
      watchdog.feed(idleTimeoutMs);
      problem = undefined;
      for await (const chunk of body) {
        lines.push(chunk).forEach(handle);
        watchdog.feed(idleTimeoutMs);
      }
    } catch (error) {
      lifetime.signal.throwIfAborted();
      const failure = asKubeError(error, { ...request, signal: lifetime.signal });
      const isEnd = isOpen && isKubeError(failure, 'Unreachable', 'DeadlineExceeded');
      // A broken connection is an end like any other: the watch resumes where it was.
      if (!isEnd) return failed(failure, isComplete, isOpen);
      logger.debug('a watch broke', { error: failure.message });
    } finally {
      closed();
    }
    const wasUseful = events > 0 || clock.monotonicNow() - openedMs >= USEFUL_MS;
    // Nothing was received until this side gave up: the server may never have followed the objects, so they are read again.
    wasSilent = events === 0 && watchdog.signal.aborted;
    return { type: 'ended', isSynced: isComplete && !wasSilent, wasUseful };
  };

  const attemptOnce = async (attempt: WatchAttempt): Promise<WatchOutcome> => {
    if (attempt.kind !== 'list') return follow(attempt);
    try {
      return await list(attempt.resourceVersion);
    } catch (error) {
      lifetime.signal.throwIfAborted();
      return failed(error, false, false);
    }
  };

  let endWait: (() => void) | undefined;
  lifetime.defer(
    server.onAnsweringAgain(() => {
      backoff.reset();
      endWait?.();
    }),
  );

  /** Waits before the next attempt. The wait for an unreachable server ends soon after that answers another request. */
  const pause = async (delayMs: number, isUnreachable: boolean): Promise<void> => {
    const answering = new AbortController();
    if (isUnreachable) endWait = () => answering.abort();
    try {
      await sleep(clock, delayMs, AbortSignal.any([lifetime.signal, answering.signal]));
    } catch (error) {
      lifetime.signal.throwIfAborted();
      if (!answering.signal.aborted) throw error;
      await sleep(clock, Math.min(backoff.next(), delayMs), lifetime.signal);
    } finally {
      endWait = undefined;
    }
  };

  const run = async (): Promise<void> => {
    while (!lifetime.signal.aborted) {
      const attempt = nextAttempt(state);
      const outcome = await attemptOnce(attempt);
      const { state: next, isDelayed } = afterAttempt(state, attempt, outcome);
      state = next;
      if (!isDelayed) continue;
      const error = outcome.type === 'failed' ? outcome.error : undefined;
      const isUnreachable = isKubeError(error, 'Unreachable', 'DeadlineExceeded');
      await pause(Math.max(backoff.next(), error?.retryAfterMs ?? 0), isUnreachable);
    }
  };

  return {
    start() {
      if (isStarted || lifetime.signal.aborted) return;
      isStarted = true;
      lifetime.track(run()).catch((error: unknown) => {
        if (lifetime.signal.aborted) return;
        // Only a subscriber that throws gets here.
        problem = kubeError(error);
        logger.error('the watch ended', { error: problem.message });
      });
    },
    get isSynced() {
      return isSynced;
    },
    list: copy.list,
    find: copy.find,
    changes$: currentThenChanges(
      () => (isSynced ? [{ type: 'snapshot', objects: copy.list() } as const] : []),
      changes.values$,
    ),
    get problem() {
      return problem;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function kubeError(error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  return new KubeError('InternalError', error instanceof Error ? error.message : String(error), { cause: error });
}
