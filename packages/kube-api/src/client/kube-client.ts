import type { ObjectMeta, Status } from '../index.ts';
import type { KubeResource, KubeSubresource } from '../resources.ts';
import type { Observable } from 'rxjs';

/** Clients of one API server that share connections and credentials, and differ in their rate limits. */
export interface KubeClients {
  /** Everything else (kubelet: kubeAPIQPS, kubeAPIBurst). */
  readonly main: KubeClient;
  /** Events (kubelet: eventRecordQPS, eventBurst), so that a burst of events delays no other request. */
  readonly events: KubeClient;
  /** Leases and node statuses: no rate limit, and a timeout for each request. */
  readonly heartbeats: KubeClient;
  /** Reviews of the clients of the node's own API, which are as many as these clients want. */
  readonly reviews: KubeClient;
}

/** The part of every object that a client needs. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** Identifies an object of a resource. */
export interface ObjectRef {
  readonly name: string;
  /** Required for a resource in namespaces, absent for one of the cluster. */
  readonly namespace?: string | undefined;
}

/** Objects of an API server. Every call rejects with a {@link KubeError}, or with the reason of its signal. */
export interface KubeClient {
  get<T extends KubeObject>(resource: KubeResource<T>, ref: ObjectRef, options?: GetOptions): Promise<T>;
  /** Lists all objects that match. Larger lists are read page by page. */
  list<T extends KubeObject>(resource: KubeResource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** Creates an object in the namespace of its metadata. */
  create<T extends KubeObject>(resource: KubeResource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Sends an object to one of the subresources that create something: tokens, bindings, evictions. */
  createSubresource<Body, Result>(
    subresource: KubeSubresource<Body, Result>,
    ref: ObjectRef,
    body: Body,
    options?: WriteOptions,
  ): Promise<Result>;
  /** Replaces an object. With a `resourceVersion` in its metadata, the request fails with `Conflict` if the object has changed since. */
  update<T extends KubeObject>(resource: KubeResource<T>, object: T, options?: SubresourceOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: KubeResource<T>,
    ref: ObjectRef,
    patch: KubePatch,
    options?: SubresourceOptions,
  ): Promise<T>;
  /** Deletes an object. It may remain until its grace period has passed and its finalizers are gone. */
  delete(resource: KubeResource<unknown>, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** Deletes all objects that match. */
  deleteCollection(resource: KubeResource<unknown>, options: ListSelector & DeleteOptions): Promise<void>;
  /** Creates a watch that keeps a copy of all objects that match. It does nothing before its start. */
  watch<T extends KubeObject>(resource: KubeResource<T>, options?: WatchOptions): ObjectWatch<T>;
}

/** Options of every request. */
export interface RequestOptions {
  /** Cancels the request, and the wait for its turn. */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends RequestOptions {
  /** `0` permits the API server to answer from its cache. Default: the most recent state. */
  readonly resourceVersion?: string | undefined;
}

/** Selects objects of a resource. */
export interface ListSelector {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Such as `spec.nodeName=node1`. */
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

export interface ListOptions extends ListSelector, GetOptions {
  /** Objects of one page. Default: the API server returns everything at once. */
  readonly limit?: number | undefined;
}

/** A list, and the version of the resource at which it was read. */
export interface ObjectList<T> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
}

export interface WriteOptions extends RequestOptions {
  /** Owner of the written fields. Default: the API server takes it from the user agent. */
  readonly fieldManager?: string | undefined;
}

export interface SubresourceOptions extends WriteOptions {
  /** Part of the object that is written: `status`, `ephemeralcontainers`, `resize`. Default: the object. */
  readonly subresource?: string | undefined;
}

/** Change of an object. */
export type KubePatch =
  | { readonly type: 'strategic' | 'merge'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  | {
      /** Server-side apply; the request needs a `fieldManager`. */
      readonly type: 'apply';
      readonly body: object;
      /** Takes over fields of other managers. */
      readonly force?: boolean;
    };

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface DeleteOptions extends RequestOptions {
  /** Default: the object's own grace period. `0` removes a pod at once. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The request fails with `Conflict` unless the object has this UID and version. */
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
}

export interface WatchOptions extends ListSelector {
  /** Shortest time that the client asks the API server to keep one connection, in seconds; the longest is twice that. Default: 300. */
  readonly minTimeoutSeconds?: number | undefined;
  /**
   * Whether the first list of an API server that cannot send the objects at the begin of a watch must have their most recent state. Default: false, it may come from a
   * cache that is behind.
   */
  readonly isFirstListCurrent?: boolean | undefined;
}

/**
 * Copy of all objects that match, kept up to date: it resumes after a lost connection, lists again when the API server has forgotten its version, and retries with a
 * back-off for ever. Objects keep their last state while the API server is unreachable.
 */
export interface ObjectWatch<T> extends AsyncDisposable {
  /** Starts the watch. Later calls do nothing. */
  start(): void;
  /** Whether the objects have been read completely once. */
  readonly isSynced: boolean;
  /** Returns the objects. Before the watch is synced there are none, or those that were known earlier. */
  list(): readonly T[];
  /** Returns one of the objects. */
  find(ref: ObjectRef): T | undefined;
  /**
   * Emits a snapshot once the watch is synced (at subscription if it is), then each change. What changed while there was no connection is emitted as changes too.
   * Objects that were known earlier are emitted as added before the snapshot, which replaces them.
   * Completes on disposal.
   */
  readonly changes$: Observable<ObjectChange<T>>;
  /** Failure of the last attempt; `undefined` while the watch is connected. */
  readonly problem: Error | undefined;
}

/** An emission of {@link ObjectWatch.changes$}. */
export type ObjectChange<T> =
  | { readonly type: 'snapshot'; readonly objects: readonly T[] }
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'modified'; readonly object: T; readonly previous: T }
  | {
      readonly type: 'deleted';
      /** Last known state. */
      readonly object: T;
    };

/**
 * Reason of a {@link KubeError}: that of the API server's Status (`NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`, `Expired`, …), or one of the client's own.
 *
 * - `Unreachable`: no connection, or it broke before the answer; a request that changes something may have had its effect
 * - `DeadlineExceeded`: no answer in time; likewise
 * - `InvalidResponse`: an answer that is none of an API server
 * - `InvalidCredentials`: the client's credentials cannot be read or obtained
 */
export type KubeErrorReason = string;

/** Failure of a request to the API server. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly reason: KubeErrorReason;
  /** HTTP status; `undefined` without an answer. */
  readonly code: number | undefined;
  /** The API server's own description, if it sent one. */
  readonly status: Status | undefined;
  /** Pause that the API server asks for before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: KubeErrorReason,
    message: string,
    details: {
      readonly code?: number | undefined;
      readonly status?: Status | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.reason = reason;
    this.code = details.code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Reports whether `error` is a {@link KubeError} with one of these reasons. */
export function isKubeError(error: unknown, ...reasons: readonly KubeErrorReason[]): error is KubeError {
  return error instanceof KubeError && (reasons.length === 0 || reasons.includes(error.reason));
}
