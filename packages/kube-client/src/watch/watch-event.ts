import { KubeError, type KubeObject } from '@rxlet/kube-api/client';
import { watchError } from '../request/response-error.ts';

/** A line of a watch, checked. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly resourceVersion: string }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly isEndOfInitialEvents: boolean };

const END_OF_INITIAL_EVENTS = 'k8s.io/initial-events-end';

/** Checks a line of a watch. @throws KubeError for an ERROR event and for anything that is no event */
export function parseWatchEvent<T extends KubeObject>(line: unknown): WatchEvent<T> {
  const { type, object } = (typeof line === 'object' && line !== null ? line : {}) as {
    type?: unknown;
    object?: unknown;
  };
  if (type === 'ERROR') throw watchError(object);
  const { metadata } = (typeof object === 'object' && object !== null ? object : {}) as KubeObject;
  const { resourceVersion } = metadata ?? {};
  if (resourceVersion === undefined || resourceVersion === '') {
    throw new KubeError('InvalidResponse', 'the watch sent an event without a version');
  }
  if (type === 'BOOKMARK') {
    const isEndOfInitialEvents = metadata?.annotations?.[END_OF_INITIAL_EVENTS] === 'true';
    return { type, resourceVersion, isEndOfInitialEvents };
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
    throw new KubeError('InvalidResponse', `the watch sent an event of unknown type ${JSON.stringify(type)}`);
  }
  if (!metadata?.name) throw new KubeError('InvalidResponse', 'the watch sent an object without a name');
  return { type, object: object as T, resourceVersion };
}

const NUMBER = /^[1-9]\d*$/;

/** Reports whether a version is not newer than another. Versions are decimal numbers that grow (KEP-5504); those of other forms cannot be compared. */
export function isNotNewer(version: string, than: string | undefined): boolean {
  if (than === undefined || !NUMBER.test(version) || !NUMBER.test(than)) return false;
  return version.length === than.length ? version <= than : version.length < than.length;
}
