import type { LocalVolumeSource, NodeSelector, PersistentVolumeSpec, Pod, Quantity, Volume } from '@rxlet/kube-api';
import type { VolumeUsage } from './pod-volumes.ts';

/** Whether the containers of a pod mount a volume, or use its device. */
export type VolumeMode = 'Filesystem' | 'Block';

/** Field of a volume that selects its plugin, such as `emptyDir`: of a pod's volume, or of a persistent volume. */
export type VolumeSourceName = Exclude<keyof Volume, 'name' | 'persistentVolumeClaim' | 'ephemeral'> | 'local';

/** A kind of volumes. */
export interface VolumeKind {
  /** Name of the plugin, such as `kubernetes.io/empty-dir`; it is part of the paths of its volumes. */
  readonly name: string;
  readonly field: VolumeSourceName;
  /** Returns the name of a volume's plugin in metrics. Default: `name`. */
  metricName?(volume: MountableVolume): string;
  /** Returns the volumes of a pod that the disk has a record of, as an earlier agent leaves them. Default: the kind keeps no records. */
  recordedVolumes?(podUid: string): Promise<readonly RecordedVolume[]>;
  /** Reports whether the disk shows that a persistent volume may be mounted for a pod, also by an earlier agent. Default: it never shows that. */
  mayBeMounted?(podUid: string, volumeName: string): Promise<boolean>;
  /**
   * Reports whether a volume is not attached to the node because no further one can be, so that its pod can never start here (kubelet: VerifyExhaustedResource).
   * Default: it is not.
   */
  isOverAttachmentLimit?(volume: MountableVolume, signal: AbortSignal): Promise<boolean>;
  /** Measures a volume of a pod by its driver; `undefined` when the driver does not. Default: the volume is not measured so. */
  usage?(podUid: string, volumeName: string, call: UsageCall): Promise<VolumeUsage | undefined>;
  /** Removes what was set up for a pod. Succeeds when there is nothing. Needs no definition, so that volumes of unknown pods can be removed. */
  tearDown(podUid: string, volumeName: string, signal?: AbortSignal): Promise<void>;
}

/** A kind of volumes that containers mount (kubelet: volume.VolumePlugin). */
export interface VolumePlugin extends VolumeKind {
  readonly mode: 'Filesystem';
  /** The content follows objects of the API: volumes are set up again with each sync of the pod. */
  readonly refreshes: boolean;
  /** Returns a volume of a pod. @throws Error when the definition cannot be used */
  volume(volume: MountableVolume, pod: Pod): PodVolume;
}

/** A volume of a pod on the disk. */
export interface RecordedVolume {
  /** The record cannot be read. */
  readonly isDamaged: boolean;
  /** Name in the status of the node, if the control plane may have attached the volume. */
  readonly attachedAs?: string | undefined;
}

/** Options of a measurement by a driver. */
export interface UsageCall {
  readonly signal?: AbortSignal | undefined;
  /** Called with the driver's name before the driver is called. */
  readonly onDriver: (name: string) => void;
}

/** A volume as the plugins see it: one of the pod's spec, or a persistent volume, with its own name. */
export interface MountableVolume extends Volume {
  readonly local?: LocalVolumeSource;
  /** Only for a persistent volume. */
  readonly persistent?: PersistentPart;
}

/** Part of a volume that only a persistent one has. */
export interface PersistentPart {
  /** Name of the volume in the pod's spec. */
  readonly podVolumeName: string;
  /** Claim of the pod. Default: none, because the pod's spec has the source itself. */
  readonly claim?: ClaimName;
  /** Size of the volume. Default: unknown. */
  readonly capacity?: Quantity;
  /** The pod may only read. */
  readonly readOnly: boolean;
  /** The volume has another source in the API ({@link VolumeTranslation}). Default: it has not. */
  readonly isTranslated?: boolean;
  /** Default: `Filesystem`. */
  readonly mode?: VolumeMode;
  readonly mountOptions: readonly string[];
  readonly accessModes?: readonly string[];
  /** Group that the processes of the pod's containers must have (kubelet: VolumeGIDValue). Default: none. */
  readonly group?: bigint;
  /** Nodes on which the volume can be used. Default: all. */
  readonly nodeAffinity?: NodeSelector;
  /** Spec of the persistent volume, with its source. */
  readonly spec: PersistentVolumeSpec;
}

/** Name of a PersistentVolumeClaim. */
export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
}

/** A volume that may have to be expanded on the node. */
export interface Expandable {
  /** Expands the volume on this node to at least a size, also while pods use it (kubelet: NodeExpand). Rejects with VolumeExpansionError. Default: it cannot. */
  readonly expand?: ((requiredBytes: bigint, signal: AbortSignal) => Promise<void>) | undefined;
}

/** A volume of a pod (kubelet: volume.Mounter). */
export interface PodVolume extends Expandable {
  /** Path of the volume on the host once it is set up; empty for an image, which the runtime mounts. */
  readonly hostPath: string;
  /** Final once the volume is set up. */
  readonly attributes: VolumeAttributes;
  /** Reports, once the volume is set up, whether it is set up again with each sync of the pod. Default: as the plugin. */
  refreshes?(): boolean;
  /** Checks what the volume needs, as the first step (kubelet: NewMounter). */
  initialize?(signal: AbortSignal): Promise<void>;
  /** Returns, after `initialize`, the name in the node's status of a volume that the control plane must attach to the node (kubelet: unique volume name). */
  attachedAs?(): string | undefined;
  /** Checks that the volume is attached, once the node's status says so (kubelet: WaitForAttach). */
  waitForAttach?(signal: AbortSignal): Promise<void>;
  /** Makes what the pods of the node share of the volume available, before `setUp` (kubelet: MountDevice). */
  mountDevice?(signal: AbortSignal): Promise<void>;
  /** Makes the volume available. May be repeated, also after a restart of the agent, and then changes nothing that is right already. */
  setUp(signal: AbortSignal): Promise<void>;
}

/** Facts of a volume that its users need (kubelet: volume.Attributes). */
export interface VolumeAttributes {
  /** Containers may only mount the volume read-only. */
  readonly readOnly: boolean;
  /** The agent sets owner and permissions of the volume. */
  readonly managed: boolean;
  /** The volume's files may be relabelled for SELinux. */
  readonly seLinuxRelabel: boolean;
  /** The volume was mounted with its SELinux label already. Default: no. */
  readonly seLinuxLabeled?: boolean;
}
