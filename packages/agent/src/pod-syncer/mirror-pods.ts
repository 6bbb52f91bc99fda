import type { Pod } from '@rxlet/kube-api';

/**
 * Keeps the mirrors of static pods: the objects by which an API server shows pods that it did not create. An agent without an API server needs none.
 *
 * A mirror is recognised by its annotation `kubernetes.io/config.mirror`, whose value is the static pod's `kubernetes.io/config.hash`; it is controlled by the Node.
 */
export interface MirrorPods {
  /** Called with each sync of a static pod: its mirror is to be there, and to be of this version of it. A rejection is logged, and keeps nothing from being started. */
  reconcile(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Full names (`name_namespace`) of the static pods that have a mirror. */
  fullNames(): Iterable<string>;
  /** Called when nothing is left of the static pod of a mirror. A rejection is logged; it is called again with the next housekeeping. */
  remove(fullName: string, signal: AbortSignal): Promise<void>;
}

/** For an agent without an API server. */
export const noMirrorPods: MirrorPods = {
  reconcile: () => Promise.resolve(),
  fullNames: () => [],
  remove: () => Promise.resolve(),
};
