import type { Pod } from '@rxlet/kube-api';
import type { FieldProblem } from '@rxlet/pod-model/validation';
import type { Observable } from 'rxjs';

/**
 * An origin of pods. It emits complete snapshots; the agent computes the differences. Each pod has a name, a namespace and a UID; another UID under
 * the same name is another pod.
 */
export interface PodSource extends AsyncDisposable {
  /** `file`, `http` or `api` as in a kubelet, or another name; becomes the pods' annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /**
   * The complete set of pods after each change. Silent until the source has read its pods once; replays the latest set to new subscribers. Completes on
   * disposal.
   */
  readonly snapshots$: Observable<readonly Pod[]>;
  /**
   * Pods that are added or updated before the next snapshot, which contains them: a source that takes long to read emits its pods as it reads them.
   * Removes no pod, and does not make the source ready. Hot; completes on disposal. Default: none.
   */
  readonly upserts$?: Observable<readonly Pod[]>;
  /**
   * Changes of single pods after the first snapshot, so that a change costs no comparison of all pods. Each means a snapshot that differs from the latest one, or from the
   * one after the latest change, in these pods. Hot; completes on disposal. Default: none, each change is a snapshot.
   */
  readonly changes$?: Observable<PodSourceChange>;
  /** The current problems, all of them after each change; replays the latest list. Completes on disposal. */
  readonly problems$: Observable<readonly PodSourceProblem[]>;
  /**
   * Checks a pod and completes it, for example with the API's defaults and validation. Default: only what the node relies on is checked: the identity of the pod, and the
   * names of its containers and volumes.
   */
  check?(pod: Pod): CheckedPod;
  /** Returns the file or URL of a pod that this source emitted, for messages. */
  manifestOf?(pod: Pod): string | undefined;
  /** Starts to read pods. Later calls do nothing. */
  start(): void;
}

/** A pod that may enter the node, or the fields for which it may not. */
export type CheckedPod = { readonly pod: Pod } | { readonly problems: readonly FieldProblem[] };

/** A change of the pods of a source. */
export interface PodSourceChange {
  /** Pods that are new, or replace the pod of their name and UID. */
  readonly upserted?: readonly Pod[];
  /** Pods that are gone; they go before the others come. */
  readonly removed?: readonly Pod[];
}

/** A problem that an administrator must fix. The source continues without the pods concerned. */
export interface PodSourceProblem {
  /** Name of the source. */
  readonly source: string;
  /** The file, folder or URL. */
  readonly path: string;
  /** CamelCase, for programs. */
  readonly reason: string;
  /** One line that names the object, the fault and the remedy. */
  readonly message: string;
  /** The pod concerned, if there is one. */
  readonly pod?: { readonly name: string; readonly namespace: string; readonly uid: string } | undefined;
  /** Whether that pod is kept in its last good version. */
  readonly isPodKept?: boolean | undefined;
}

/** Returns the pod's identity as a problem shows it. */
export function problemPod({ metadata }: Pod): NonNullable<PodSourceProblem['pod']> {
  return { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '' };
}

/** Identifies a problem: two problems with one key are the same one. */
export function problemKey({ source, path, reason, message, pod }: PodSourceProblem): string {
  return [source, path, reason, message, pod?.uid ?? ''].join('\0');
}
