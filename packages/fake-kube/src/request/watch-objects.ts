import type { Clock } from '@rxlet/component-base';
import { Subscription, interval } from 'rxjs';
import { ApiError, invalid, statusOf } from '../api-error.ts';
import type { StoredObject } from '../api-object.ts';
import type { ObjectStore, StoreChange } from '../store/object-store.ts';
import { selectObjects } from '../select/select-objects.ts';
import { createLineQueue, type LineQueue } from './line-queue.ts';
import { isTrue, type ObjectRequest } from './parse-request.ts';
import { parseRevision } from './revision.ts';
import { bookmarkLine, lineOfChange } from './watch-events.ts';

/** Options of {@link watchObjects}. */
export interface WatchObjectsOptions {
  readonly bookmarkPeriodMs: number;
  /** Whether clients may ask for the objects at the begin of a watch (`sendInitialEvents`). */
  readonly hasStreamingLists: boolean;
  /** Duration of a watch that asks for none. */
  readonly defaultTimeoutMs: number;
  /** Number of changes before the requested version that are sent again. */
  readonly replayedRevisions: number;
  /** Returns what is sent of an object. */
  readonly render: (object: StoredObject) => unknown;
  /** Runs once, when the watch has ended. */
  readonly onClose: () => void;
}

/** Opens a watch. @throws ApiError when the parameters do not fit together */
export function watchObjects(
  { store, clock }: { readonly store: ObjectStore; readonly clock: Clock },
  request: ObjectRequest,
  { bookmarkPeriodMs, hasStreamingLists, defaultTimeoutMs, replayedRevisions, render, onClose }: WatchObjectsOptions,
): LineQueue {
  const { type, query } = request;
  const matches = selectObjects(request);
  const sendsInitialEvents = isTrue(query.get('sendInitialEvents'));
  checkInitialEvents(request, hasStreamingLists);
  const since = replayedFrom(store, sinceOf(store, query, sendsInitialEvents), replayedRevisions);
  const changes = since === undefined ? [] : store.changesSince(type, since);
  if (changes === undefined) {
    const message = `too old resource version: ${String(since)} (${String(store.compactedRevision)})`;
    const queue = createLineQueue([{ type: 'ERROR', object: statusOf(new ApiError('Expired', message)) }], onClose);
    queue.end();
    return queue;
  }
  const lineOf = (change: StoreChange): object | undefined => {
    const isSame = change.type.plural === type.plural && change.type.group === type.group;
    const line = isSame ? lineOfChange(change, matches) : undefined;
    return line && { type: line.type, object: render(line.object) };
  };
  const objects = since === undefined ? store.list(type, request.namespace).filter(matches) : [];
  const first = [
    ...objects.map((object) => ({ type: 'ADDED', object: render(object) })),
    ...(sendsInitialEvents ? [bookmarkLine(type, store.revision, true)] : []),
    ...changes.flatMap((change) => lineOf(change) ?? []),
  ];
  const subscriptions = new Subscription();
  const queue = createLineQueue(first, () => {
    subscriptions.unsubscribe();
    onClose();
  });
  const follow = (change: StoreChange): void => {
    const line = lineOf(change);
    if (line !== undefined) queue.push(line);
  };
  subscriptions.add(store.changes$.subscribe({ next: follow, error: () => queue.end(), complete: () => queue.end() }));
  if (isTrue(query.get('allowWatchBookmarks'))) {
    const bookmark = (): void => queue.push(bookmarkLine(type, store.revision, false));
    const ticks = interval(bookmarkPeriodMs, clock.scheduler);
    subscriptions.add(ticks.subscribe({ next: bookmark, error: () => queue.end() }));
  }
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? 0);
  const end = clock.setTimer(timeoutSeconds > 0 ? timeoutSeconds * 1000 : defaultTimeoutMs, () => queue.end());
  subscriptions.add(() => end[Symbol.dispose]());
  return queue;
}

/** Returns the version after which changes are sent; `undefined` to send the objects first. */
function sinceOf(store: ObjectStore, query: URLSearchParams, sendsInitialEvents: boolean): number | undefined {
  // A watch may begin at a version that the server reaches later.
  const text = query.get('resourceVersion');
  if (sendsInitialEvents) {
    parseRevision(store, text);
    return undefined;
  }
  const revision = parseRevision({ revision: Infinity }, text);
  return revision === 0 ? undefined : revision;
}

/** Returns an earlier version whose changes the history still has. */
function replayedFrom(store: ObjectStore, since: number | undefined, revisions: number): number | undefined {
  if (since === undefined || since <= store.compactedRevision) return since;
  return Math.max(since - revisions, store.compactedRevision);
}

function checkInitialEvents({ type, query }: ObjectRequest, hasStreamingLists: boolean): void {
  const forbid = (field: string, message: string): ApiError =>
    invalid({ ...type, kind: 'ListOptions', group: 'meta.k8s.io' }, '', {
      reason: 'FieldValueForbidden',
      field,
      message,
    });
  if (!query.has('sendInitialEvents')) {
    if (!query.has('resourceVersionMatch')) return;
    throw forbid(
      'resourceVersionMatch',
      'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (!hasStreamingLists) {
    throw forbid(
      'sendInitialEvents',
      'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
  }
  if (query.get('resourceVersionMatch') === 'NotOlderThan') return;
  throw forbid(
    'resourceVersionMatch',
    'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  );
}
