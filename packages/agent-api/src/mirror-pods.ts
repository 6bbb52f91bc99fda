import type { Pod } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';

/**
 * Maintains the mirror pods of static pods: the API objects that represent pods which the API server did not create. A mirror pod carries the annotation
 * `kubernetes.io/config.mirror`, whose value is the static pod's `kubernetes.io/config.hash`, and is controlled by the Node.
 */
export interface MirrorPods {
  /** Creates or replaces the mirror pod of a static pod, at each of its syncs. A rejection is logged and does not delay the pod. */
  reconcile(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Returns the full names (`name_namespace`) of the static pods that have a mirror pod. */
  fullNames(): Iterable<string>;
  /** Returns the mirror pod of this version of a static pod, if there is one. */
  mirrorOf?(pod: Pod): Pod | undefined;
  /** Full names of static pods whose mirror pod appeared or changed: its status may not be that of the pod. Hot. */
  readonly changes$?: Observable<string>;
  /** Removes the mirror pod of a static pod that is gone. A rejection is logged; the next housekeeping repeats the call. */
  remove(fullName: string, signal: AbortSignal): Promise<void>;
}
