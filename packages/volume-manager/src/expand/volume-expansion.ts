import type { PersistentVolumes } from '@rxlet/agent-api/volumes';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podEventObject, podUid } from '@rxlet/pod-model';
import type { Expandable } from '@rxlet/agent-api/volumes';
import { type DesiredVolume, operationMessage, measuredVolume } from '../reconcile/desired-volumes.ts';
import type { VolumeOperations } from '../reconcile/volume-operations.ts';
import type { ActualState } from '../reconcile/volume-states.ts';
import type { VolumeMetrics } from '../volume-metrics.ts';
import { claimEventObject, type ExpandVolumePorts, type ExpansionState, expandVolume } from './expand-volume.ts';
import { isLess } from './plan-expansion.ts';

/** Ports of {@link createVolumeExpansion}. */
export interface VolumeExpansionPorts extends Pick<ExpandVolumePorts, 'clock' | 'logger' | 'events'> {
  readonly persistentVolumes: PersistentVolumes | undefined;
  readonly operations: VolumeOperations;
  readonly actual: Pick<ActualState, 'ofPod'>;
  readonly metrics: VolumeMetrics;
}

/** A volume of a pod that may have to be expanded. */
export interface ExpandableVolume {
  readonly pod: Pod;
  readonly desired: DesiredVolume;
  readonly definition: Expandable;
}

/** Expands volumes on this node after their persistent volumes have grown. Disposal cancels what is pending. */
export interface VolumeExpansion extends AsyncDisposable {
  /** Expands a volume that was just set up (kubelet: expandVolumeDuringMount). Rejects with the cause, and then the pod must not use the volume yet. */
  duringSetUp(volume: ExpandableVolume, signal: AbortSignal): Promise<void>;
  /** Looks in the background whether a volume of a running pod has grown, and expands it (kubelet: GenerateExpandInUseVolumeFunc). Failures are events. */
  whileMounted(volume: ExpandableVolume): void;
  /** Drops the state of all other persistent volumes. */
  retain(volumeNames: ReadonlySet<string>): void;
}

const READ_ONLY = 'requested read-only file system';

/** Creates {@link VolumeExpansion}. Without a way to change the status of claims, no volume is expanded. */
export function createVolumeExpansion(ports: VolumeExpansionPorts): VolumeExpansion {
  const { logger, events, persistentVolumes, operations, actual, metrics } = ports;
  const patchClaimStatus = persistentVolumes?.patchClaimStatus?.bind(persistentVolumes);
  const lifetime = createLifetime();
  /** By the names of persistent volumes. */
  const states = new Map<string, ExpansionState>();
  /** Persistent volumes that are looked at. */
  const running = new Set<string>();

  const stateOf = (volumeName: string): ExpansionState => {
    const state = states.get(volumeName) ?? { isInUse: false, hasFailed: false };
    states.set(volumeName, state);
    return state;
  };

  const check = async ({ pod, desired, definition }: ExpandableVolume, signal: AbortSignal): Promise<void> => {
    const { name: volumeName, persistent } = desired.volume;
    const reference = persistent?.claim;
    const { expand } = definition;
    if (reference === undefined || expand === undefined || patchClaimStatus === undefined) return;
    const [claim, { spec }] = await Promise.all([
      persistentVolumes!.claim(reference.namespace, reference.name, signal),
      persistentVolumes!.volume(volumeName, signal),
    ]);
    const capacity = spec?.capacity?.['storage'];
    const state = stateOf(volumeName);
    state.size ??= claim.status?.capacity?.['storage'];
    if (capacity === undefined || state.size === undefined || !isLess(state.size, capacity)) return;
    const work = async (): Promise<void> => {
      // The volume may have been unmounted since the check began. Its driver would find none, and the claim would be marked as infeasible to expand.
      if (actual.ofPod(podUid(pod)).get(desired.name)?.isCertain !== true) return;
      const expansion = { pod, claim, volumeName, capacity, state, expand };
      await metrics.measure('volume_fs_resize', measuredVolume(desired), () =>
        expandVolume({ ...ports, patchClaimStatus }, expansion, signal),
      );
    };
    try {
      await operations.run(podUid(pod), volumeName, work, signal);
    } catch (error) {
      signal.throwIfAborted();
      const cause = `: ${errorMessage(error)}`;
      const message = operationMessage('NodeExpandVolume.NodeExpandVolume failed', volumeName, cause);
      logger.warn('cannot expand a volume', { pod: formatPod(pod), error: message });
      events.event(podEventObject(pod), 'Warning', 'VolumeResizeFailed', message);
    }
  };

  return {
    async duringSetUp({ pod, desired, definition }, signal) {
      const { name: volumeName, persistent } = desired.volume;
      const { claim: reference, capacity, readOnly } = persistent ?? {};
      const { expand } = definition;
      if (reference === undefined || capacity === undefined) return;
      if (expand === undefined || patchClaimStatus === undefined) return;
      const { namespace, name } = reference;
      const claim = await persistentVolumes!.claim(namespace, name, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`mountVolume.NodeExpandVolume get PVC failed : ${errorMessage(error)}`, { cause: error });
      });
      const state = stateOf(volumeName);
      const size = claim.status?.capacity?.['storage'];
      state.size ??= size;
      if (!isLess(size, capacity)) return;
      if (readOnly === true) {
        const message = operationMessage('MountVolume.NodeExpandVolume failed', volumeName, READ_ONLY);
        events.event(podEventObject(pod), 'Warning', 'FileSystemResizeFailed', message);
        events.event(claimEventObject(claim), 'Warning', 'FileSystemResizeFailed', message);
        return;
      }
      await expandVolume({ ...ports, patchClaimStatus }, { pod, claim, volumeName, capacity, state, expand }, signal);
    },
    whileMounted(volume) {
      const { pod, desired, definition } = volume;
      const { name: volumeName, persistent } = desired.volume;
      if (persistent?.claim === undefined || persistent.readOnly || definition.expand === undefined) return;
      if (patchClaimStatus === undefined || lifetime.signal.aborted || running.has(volumeName)) return;
      if (states.get(volumeName)?.isInUse === true || operations.blockedForMs(podUid(pod), volumeName) > 0) return;
      running.add(volumeName);
      const checking = check(volume, lifetime.signal)
        .catch((error: unknown) => {
          if (!lifetime.signal.aborted)
            logger.debug('cannot check the size of a volume', { volume: volumeName, error: errorMessage(error) });
        })
        .finally(() => running.delete(volumeName));
      void lifetime.track(checking);
    },
    retain(volumeNames) {
      for (const name of states.keys()) if (!volumeNames.has(name)) states.delete(name);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
