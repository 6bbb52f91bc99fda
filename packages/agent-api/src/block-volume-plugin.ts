import type { Pod } from '@rxlet/kube-api';
import type { Expandable, MountableVolume, VolumeKind } from './volume-plugin.ts';

/** A kind of persistent volumes whose devices containers use without a file system (kubelet: volume.BlockVolumePlugin). */
export interface BlockVolumePlugin extends VolumeKind {
  readonly mode: 'Block';
  /** Returns the device of a volume for a pod. @throws Error when the definition cannot be used */
  device(volume: MountableVolume, pod: Pod): PodDevice;
}

/** The device of a volume for a pod (kubelet: volume.BlockVolumeMapper). */
export interface PodDevice extends Expandable {
  /** Containers may only read the device. */
  readonly readOnly: boolean;
  /** Directory of the plugin with a bind mount of the device for each pod (kubelet: global map path). */
  readonly globalMapPath: string;
  /** Checks what the volume needs, as the first step (kubelet: NewBlockVolumeMapper). */
  initialize?(signal: AbortSignal): Promise<void>;
  /** Returns, after `initialize`, the name in the node's status of a volume that the control plane must attach to the node. */
  attachedAs?(): string | undefined;
  /** Checks that the volume is attached, once the node's status says so (kubelet: WaitForAttach). */
  waitForAttach?(signal: AbortSignal): Promise<void>;
  /** Makes the device available to the pods of the node (kubelet: SetUpDevice). */
  setUpDevice?(signal: AbortSignal): Promise<void>;
  /** Makes the device available to the pod and returns its path on the host (kubelet: MapPodDevice). May be repeated, also after a restart of the agent. */
  mapPodDevice(signal: AbortSignal): Promise<string>;
}
