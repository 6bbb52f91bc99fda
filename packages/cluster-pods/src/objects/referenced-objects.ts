import type { Observable } from 'rxjs';

/** Objects of one resource that the pods of the node refer to. */
export interface ReferencedObjects<T> extends AsyncDisposable {
  /** Returns an object, `undefined` when there is none, and keeps it for the pod from now on. Rejects when the API server does not answer in time. */
  get(podUid: string, namespace: string, name: string, signal?: AbortSignal): Promise<T | undefined>;
  /** Keeps an object for a pod. */
  register(podUid: string, namespace: string, name: string): void;
  /** Reports whether an object is kept for some pod. */
  has(namespace: string, name: string): boolean;
  /** Releases the objects of a pod. Objects without a pod are not watched any more. */
  release(podUid: string): void;
  /** Releases the objects of all other pods. */
  retain(podUids: ReadonlySet<string>): void;
  /** UIDs of pods one of whose objects was created, changed or deleted. */
  readonly changes$: Observable<string>;
}
