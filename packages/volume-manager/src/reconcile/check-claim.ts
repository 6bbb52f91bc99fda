import type { Node } from '@rxlet/kube-api';
import { matchesNodeSelector } from '@rxlet/pod-model/scheduling';
import type { MountableVolume } from '@rxlet/agent-api/volumes';
import type { ActualState } from './volume-states.ts';

/** Throws the kubelet's message when a persistent volume cannot be used on this node. @param node without it all volumes can */
export function checkNodeAffinity({ persistent }: MountableVolume, node: Pick<Node, 'metadata'> | undefined): void {
  if (persistent?.nodeAffinity === undefined || node === undefined) return;
  // Volumes are bound to labels, never to the name of a node.
  const labels = node.metadata?.labels ?? {};
  if (!matchesNodeSelector(persistent.nodeAffinity, { metadata: { labels } }))
    throw new Error('no matching NodeSelectorTerms');
}

/** Keeps volumes with the access mode `ReadWriteOncePod` for one pod at a time. */
export interface SinglePodVolumes {
  /** Reserves a volume for a pod until disposed of. Rejects with the kubelet's message when it is mounted, or may be, for another pod. */
  reserve(volume: MountableVolume, podUid: string): Promise<Disposable>;
}

/**
 * Creates {@link SinglePodVolumes}. A volume that was mounted is reserved by the actual state, or by its record.
 *
 * @param isRecordedElsewhere reports whether the disk has a record of a volume for another pod, as an earlier agent or a failed set-up leaves it
 */
export function createSinglePodVolumes(
  actual: Pick<ActualState, 'pods' | 'ofPod'>,
  isRecordedElsewhere: (volumeName: string, podUid: string) => Promise<boolean>,
): SinglePodVolumes {
  /** UID of the pod that each volume is being mounted for. */
  const reserved = new Map<string, string>();
  const isMountedElsewhere = (name: string, podUid: string): boolean =>
    actual
      .pods()
      .some(
        (uid) =>
          uid !== podUid &&
          [...actual.ofPod(uid).values()].some(
            ({ isPersistent, mounted }) => isPersistent && mounted.innerVolumeSpecName === name,
          ),
      );
  return {
    async reserve({ name, persistent }, podUid) {
      const { accessModes = [] } = persistent ?? {};
      // With several modes it is not known which one the pod means.
      if (accessModes.length !== 1 || accessModes[0] !== 'ReadWriteOncePod') return noReservation;
      if ((reserved.get(name) ?? podUid) !== podUid || isMountedElsewhere(name, podUid)) throw inUseError();
      reserved.set(name, podUid);
      using stack = new DisposableStack();
      stack.defer(() => void reserved.delete(name));
      if (await isRecordedElsewhere(name, podUid)) throw inUseError();
      return stack.move();
    },
  };
}

function inUseError(): Error {
  return new Error('volume uses the ReadWriteOncePod access mode and is already in use by another pod');
}

const noReservation: Disposable = { [Symbol.dispose]: () => undefined };
