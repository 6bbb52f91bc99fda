import { type Clock, onAbort } from '@rxlet/component-base';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { LineQueue } from './line-queue.ts';
import type { ObjectRequest } from './parse-request.ts';
import { watchObjects, type WatchObjectsOptions } from './watch-objects.ts';

/** The watches of a server that have not ended. */
export interface OpenWatches {
  /** Opens a watch. `render` returns what is sent of an object; by default all of it. @throws ApiError when the parameters do not fit together */
  open(request: ObjectRequest, signal: AbortSignal | undefined, render?: (object: StoredObject) => unknown): LineQueue;
  /** Breaks the connections of all watches, or of those of one resource. @returns their number */
  cut(error: Error, resource?: string): number;
  /** Lets the connections of all watches die unnoticed. @returns their number */
  freeze(): number;
  /** Makes watches that resume send this number of changes again. */
  setReplay(revisions: number): void;
}

/** A watch that has not ended. */
interface OpenWatch {
  readonly type: ResourceType;
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
  return {
    open(request, signal, render = (object) => object) {
      let listener: Disposable | undefined = undefined;
      const onClose = (): void => {
        watches.delete(entry);
        listener?.[Symbol.dispose]();
      };
      const entry: OpenWatch = { type: request.type, abort: onClose, freeze: () => undefined };
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
    cut(error, resource) {
      const found = [...watches].filter(({ type }) => resource === undefined || type.plural === resource);
      for (const watch of found) watch.abort(error);
      return found.length;
    },
    freeze() {
      for (const watch of watches) watch.freeze();
      return watches.size;
    },
    setReplay: (revisions) => void (replayedRevisions = revisions),
  };
}
