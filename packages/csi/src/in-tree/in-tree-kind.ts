import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeAccessMode,
  PersistentVolumeSpec,
  Volume,
  VolumeNodeAffinity,
} from '@rxlet/kube-api';

/** Field of a volume's source that Kubernetes once had code for. */
export type InTreeField =
  | 'awsElasticBlockStore'
  | 'azureDisk'
  | 'azureFile'
  | 'cinder'
  | 'gcePersistentDisk'
  | 'portworxVolume'
  | 'vsphereVolume';

/** A kind of volumes that Kubernetes once had code for, and that a CSI driver serves now (kubelet: InTreePlugin of csi-translation-lib). */
export interface InTreeKind<Field extends InTreeField = InTreeField> {
  readonly field: Field;
  /** Name of the plugin, such as `kubernetes.io/aws-ebs`. */
  readonly plugin: string;
  /** Name of the CSI driver, such as `ebs.csi.aws.com`. */
  readonly driver: string;
  /** Returns the source of a persistent volume for the driver. @throws Error when it cannot be translated */
  persistentSource(source: NonNullable<PersistentVolumeSpec[Field]>, volume: PersistentVolume): DriverSource;
  /** Returns the node affinity of a persistent volume in the driver's topology. Default: it stays as it is. */
  nodeAffinity?(volume: PersistentVolume): VolumeNodeAffinity | undefined;
  /** Returns the access modes of a persistent volume that the driver accepts. Default: they stay as they are. */
  accessModes?(modes: readonly PersistentVolumeAccessMode[]): readonly PersistentVolumeAccessMode[];
  /** Returns the source in a pod's spec for the driver. @throws Error when it cannot be translated */
  inlineSource(source: NonNullable<Volume[Field]>, volume: Volume, podNamespace: string): InlineSource;
}

/** A source for a driver, which is added. */
export type DriverSource = Omit<CSIPersistentVolumeSource, 'driver'>;

/** A source in a pod's spec for a driver. */
export interface InlineSource extends DriverSource {
  /** Name for the volume. Default: driver and handle, such as `ebs.csi.aws.com-vol-1`. */
  readonly name?: string;
  /** Default: `ReadWriteOnce`. */
  readonly accessMode?: PersistentVolumeAccessMode;
}
