import { type Clock, onAbort } from '@rxlet/component-base';
import type { StoredObject } from '../api-object.ts';
import type { User } from '../auth/user.ts';
import type { FaultMatch } from '../faults/faults.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { LineQueue } from './line-queue.ts';
import type { ObjectRequest } from './parse-request.ts';
import { watchObjects, type WatchObjectsOptions } from './watch-objects.ts';

/** Watches by their resource and their user; absent members match all. */
export type WatchMatch = Pick<FaultMatch, 'resource' | 'user'>;

/** The watches of a server that have not ended. */
export interface OpenWatches {
  /** Opens a watch. `render` returns what is sent of an object; by default all of it. @throws ApiError when the parameters do not fit together */
  open(
    request: ObjectRequest,
    user: User,
    signal: AbortSignal | undefined,
    render?: (object: StoredObject) => unknown,
  ): LineQueue;
  /** Breaks the connections of watches. @returns their number */
  cut(error: Error, match?: WatchMatch): number;
  /** Lets the connections of watches die unnoticed. @returns their number */
  freeze(match?: WatchMatch): number;
  /** Makes watches that resume send this number of changes again. */
  setReplay(revisions: number): void;
}

/** A watch that has not ended. */
interface OpenWatch {
  readonly resource: string;
  readonly user: string;
  abort: (error: Error) => void;
  freeze: () => void;
}

const DEFAULT_TIMEOUT_MS = 1_800_000;

/** Creates {@link OpenWatches}. */
export function createOpenWatches(
  ports: { readonly store: ObjectStore; readonly clock: Clock },
  options: Pick<WatchObjectsOptions, 'bookmarkPeriodMs' | 'hasStreamingLists'>,
): OpenWatches {
  const watches = new Set<OpenWatch>();
  let replayedRevisions = 0;
  const matching = ({ resource, user }: WatchMatch = {}): readonly OpenWatch[] =>
    [...watches].filter(
      (watch) => (resource ?? watch.resource) === watch.resource && (user ?? watch.user) === watch.user,
    );
  return {
    open(request, user, signal, render = (object) => object) {
      let listener: Disposable | undefined = undefined;
      const onClose = (): void => {
        watches.delete(entry);
        listener?.[Symbol.dispose]();
      };
      const entry: OpenWatch = {
        resource: request.type.plural,
        user: user.name,
        abort: onClose,
        freeze: () => undefined,
      };
      watches.add(entry);
      try {
        const defaults = { render, defaultTimeoutMs: DEFAULT_TIMEOUT_MS, replayedRevisions, onClose };
        const queue = watchObjects(ports, request, { ...options, ...defaults });
        entry.abort = queue.abort;
        entry.freeze = queue.freeze;
        listener = onAbort(signal, (reason) => entry.abort(reason));
        return queue;
      } catch (error) {
        onClose();
        throw error;
      }
    },
    cut(error, match) {
      const found = matching(match);
      for (const watch of found) watch.abort(error);
      return found.length;
    },
    freeze(match) {
      const found = matching(match);
      for (const watch of found) watch.freeze();
      return found.length;
    },
    setReplay: (revisions) => void (replayedRevisions = revisions),
  };
}
