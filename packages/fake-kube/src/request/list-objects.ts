import type { ListMeta } from '@rxlet/kube-api';
import { ApiError } from '../api-error.ts';
import { keyOf, type StoredObject } from '../api-object.ts';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { selectObjects } from '../select/select-objects.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { ObjectRequest } from './parse-request.ts';
import { parseRevision } from './revision.ts';

/** A list as it is sent. */
export interface ObjectListBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly unknown[];
}

/** A page of a list. */
export interface ObjectPage {
  readonly metadata: ListMeta;
  readonly objects: readonly StoredObject[];
}

/**
 * Selects the objects of a list: filtered, page by page, at the version that the request asks for.
 *
 * @param staleRevisions how far behind answers are that may be stale (`resourceVersion=0`)
 */
export function selectPage(store: ObjectStore, request: ObjectRequest, staleRevisions = 0): ObjectPage {
  const { type, query } = request;
  const limit = Number(query.get('limit') ?? 0);
  const token = query.get('continue');
  const { revision, after } = token
    ? decodeContinue(token)
    : { revision: versionOf(store, query, staleRevisions), after: '' };
  const all = store.listAt(type, revision, request.namespace);
  if (all === undefined) throw expired(token !== null && token !== '', revision, store.compactedRevision);
  const matches = selectObjects(request);
  const rest = all.filter((object) => matches(object) && keyOf(object.metadata) > after);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const remaining = rest.length - items.length;
  const last = items.at(-1);
  const isFiltered = query.has('fieldSelector') || query.has('labelSelector');
  return {
    metadata: {
      resourceVersion: String(revision),
      ...(remaining > 0 &&
        last !== undefined && {
          continue: encodeContinue({ revision, after: keyOf(last.metadata) }),
          ...(!isFiltered && { remainingItemCount: remaining }),
        }),
    },
    objects: items,
  };
}

/** Returns the list of a page. */
export function listOf(type: ResourceType, { metadata, objects }: ObjectPage): ObjectListBody {
  return {
    kind: `${type.kind}List`,
    apiVersion: apiVersionOfType(type),
    metadata,
    // As in a real list, items do not repeat their kind.
    items: objects.map(({ apiVersion: _apiVersion, kind: _kind, ...item }: StoredObject) => item),
  };
}

function versionOf(store: ObjectStore, query: URLSearchParams, staleRevisions: number): number {
  const wanted = parseRevision(store, query.get('resourceVersion'));
  if (wanted === undefined) return store.revision;
  if (query.get('resourceVersionMatch') === 'Exact') return wanted;
  return Math.max(wanted, store.revision - staleRevisions, store.compactedRevision);
}

function expired(isContinued: boolean, revision: number, compacted: number): ApiError {
  return new ApiError(
    'Expired',
    isContinued
      ? 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.'
      : `The resourceVersion for the provided list is too old: ${String(revision)} (${String(compacted)})`,
  );
}
