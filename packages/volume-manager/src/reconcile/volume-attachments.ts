import { waitUntil } from '@rxlet/component-base/streams';
import type { Node } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';

/** A volume that must be attached to the node before it can be mounted. */
export interface AttachableVolume {
  readonly podUid: string;
  /** Name in the pod's spec. */
  readonly name: string;
  /** Name in the status of the node, such as `kubernetes.io/csi/driver^handle`. */
  readonly uniqueName: string;
}

/** Volumes that the control plane attaches to the node (kubelet: VerifyControllerAttachedVolume and GetVolumesInUse). */
export interface VolumeAttachments {
  /** Waits until a volume is attached. From now on it is in use. */
  waitUntilAttached(volume: AttachableVolume, signal: AbortSignal): Promise<void>;
  /** Records a volume that an earlier agent has mounted. It is in use if it is attached. */
  restore(podUid: string, uniqueName: string): void;
  /** Records that no volume of a pod is in use any more. */
  release(podUid: string): void;
  /** Returns the names of the volumes in use, sorted. The control plane must not detach them. */
  inUse(): readonly string[];
  /** Returns the names in the spec of a pod's volumes that are not attached yet. */
  pending(podUid: string): readonly string[];
}

/** The Node object as the API server has it. */
export interface WatchedNode {
  cached(): Node;
  /** Emits after each change of it. */
  readonly changes$: Observable<unknown>;
}

/** Creates {@link VolumeAttachments}. Without a node, no volume can be attached. */
export function createVolumeAttachments(node: WatchedNode | undefined): VolumeAttachments {
  const used = new Map<string, Set<string>>();
  const restored = new Map<string, Set<string>>();
  const waiting = new Map<string, Set<string>>();

  return {
    async waitUntilAttached({ podUid, name, uniqueName }, signal) {
      if (node === undefined) throw new Error('the volume must be attached to the node, which needs an API server');
      add(used, podUid, uniqueName);
      add(waiting, podUid, name);
      // The control plane must know that the volume is in use before it is mounted, so that it never detaches it meanwhile.
      const isReady = (): boolean => {
        const current = node.cached();
        return isAttached(current, uniqueName) && current.status?.volumesInUse?.includes(uniqueName) === true;
      };
      await waitUntil(node.changes$, isReady, signal);
      remove(waiting, podUid, name);
    },
    restore: (podUid, uniqueName) => add(restored, podUid, uniqueName),
    release(podUid) {
      used.delete(podUid);
      restored.delete(podUid);
      waiting.delete(podUid);
    },
    inUse() {
      const mounted = valuesOf(restored).filter((name) => node !== undefined && isAttached(node.cached(), name));
      return [...new Set([...valuesOf(used), ...mounted])].sort();
    },
    pending: (podUid) => [...(waiting.get(podUid) ?? [])],
  };
}

function isAttached({ status }: Node, uniqueName: string): boolean {
  return status?.volumesAttached?.some(({ name }) => name === uniqueName) === true;
}

function valuesOf(sets: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  return [...sets.values()].flatMap((values) => [...values]);
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key) ?? new Set();
  sets.set(key, values.add(value));
}

function remove(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  values?.delete(value);
  if (values?.size === 0) sets.delete(key);
}
