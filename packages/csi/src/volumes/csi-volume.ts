import type { CsiAccessMode, CsiNodeCapability } from '../csi-drivers.ts';
import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { MountableVolume } from '@rxlet/agent-api/volumes';
import { CSI_PLUGIN, inlineVolumeHandle } from './csi-names.ts';

/** A volume of a CSI driver, whether it belongs to one pod or is persistent. */
export interface CsiVolume {
  readonly driver: string;
  /** Name of the volume in the driver's storage system. */
  readonly handle: string;
  readonly lifecycleMode: 'Ephemeral' | 'Persistent';
  /** The driver publishes the volume read-only. */
  readonly readOnly: boolean;
  /** The containers of the pod can only read the volume. */
  readonly isOnlyRead: boolean;
  readonly fsType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  readonly publishSecret: SecretName | undefined;
  readonly stageSecret: SecretName | undefined;
  readonly expandSecret: SecretName | undefined;
  /** Name in the pod's spec. */
  readonly podVolumeName: string;
}

/** Name of a Secret with the credentials for a volume. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the CSI volume that a definition describes. @throws Error when it describes none */
export function csiVolumeOf({ name, csi, persistent }: MountableVolume, pod: Pod): CsiVolume {
  const namespace = pod.metadata?.namespace ?? '';
  if (persistent?.spec.csi !== undefined) {
    const {
      driver,
      volumeHandle,
      fsType = '',
      volumeAttributes,
      nodePublishSecretRef,
      nodeStageSecretRef,
    } = persistent.spec.csi;
    const { nodeExpandSecretRef } = persistent.spec.csi;
    const { readOnly, claim, mountOptions, accessModes = [] } = persistent;
    return {
      driver,
      handle: volumeHandle,
      lifecycleMode: 'Persistent',
      // As in the kubelet, what a pod has without a claim is published for writing.
      readOnly: readOnly && claim !== undefined,
      isOnlyRead: readOnly,
      fsType,
      mountOptions,
      accessModes,
      attributes: volumeAttributes ?? {},
      publishSecret: secretName(nodePublishSecretRef),
      stageSecret: secretName(nodeStageSecretRef),
      expandSecret: secretName(nodeExpandSecretRef),
      podVolumeName: persistent.podVolumeName,
    };
  }
  if (csi === undefined) throw new Error(`volume source not found in volume.Spec of ${name}`);
  const { driver, readOnly = false, fsType = '', volumeAttributes = {}, nodePublishSecretRef } = csi;
  return {
    driver,
    lifecycleMode: 'Ephemeral',
    readOnly,
    isOnlyRead: readOnly,
    fsType,
    attributes: volumeAttributes,
    handle: inlineVolumeHandle(podUid(pod), name),
    mountOptions: [],
    accessModes: [],
    publishSecret: secretName(nodePublishSecretRef && { name: nodePublishSecretRef.name, namespace }),
    stageSecret: undefined,
    expandSecret: undefined,
    podVolumeName: name,
  };
}

function secretName(reference: { readonly name?: string; readonly namespace?: string } | undefined) {
  return reference && { namespace: reference.namespace ?? '', name: reference.name ?? '' };
}

/** Returns the name of the plugin in metrics, which has the driver's name too. */
export function csiMetricName({ csi, persistent }: MountableVolume): string {
  return `${CSI_PLUGIN}:${(persistent?.spec.csi ?? csi)?.driver ?? ''}`;
}

/** Throws the kubelet's message when the driver does not have volumes of this life: without an object, all volumes are persistent. */
export function checkLifecycleMode({ driver, lifecycleMode }: CsiVolume, object: CSIDriver | undefined): void {
  const prefix = `volume mode "${lifecycleMode}" not supported by driver ${driver}`;
  if (object === undefined) {
    if (lifecycleMode === 'Persistent') return;
    throw new Error(`${prefix} (no CSIDriver object)`);
  }
  const modes = object.spec?.volumeLifecycleModes ?? ['Persistent'];
  if (modes.includes(lifecycleMode)) return;
  throw new Error(`${prefix} (only supports [${modes.map((mode) => `"${mode}"`).join(' ')}])`);
}

/** Reports whether the control plane must attach the volume to the node. Without an object of the driver it must. */
export function isAttachable({ lifecycleMode }: CsiVolume, object: CSIDriver | undefined): boolean {
  return lifecycleMode === 'Persistent' && object?.spec?.attachRequired !== false;
}

/** Returns the access mode for a driver. Kubernetes knows several modes of a volume; the first one counts. */
export function csiAccessMode(
  { accessModes: [mode = 'ReadWriteOnce'] }: CsiVolume,
  capabilities: ReadonlySet<CsiNodeCapability>,
): CsiAccessMode {
  const isPrecise = capabilities.has('SINGLE_NODE_MULTI_WRITER');
  switch (mode) {
    case 'ReadWriteOnce':
      return isPrecise ? 'SINGLE_NODE_MULTI_WRITER' : 'SINGLE_NODE_WRITER';
    case 'ReadWriteOncePod':
      return isPrecise ? 'SINGLE_NODE_SINGLE_WRITER' : 'SINGLE_NODE_WRITER';
    case 'ReadOnlyMany':
      return 'MULTI_NODE_READER_ONLY';
    case 'ReadWriteMany':
      return 'MULTI_NODE_MULTI_WRITER';
    default:
      return 'UNKNOWN';
  }
}

/** Reports whether the agent changes the group of the volume's files (kubelet: supportsFSGroup). */
export function changesGroup(volume: CsiVolume, object: CSIDriver | undefined): boolean {
  const policy = object?.spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  if (policy === 'None' || volume.readOnly) return false;
  if (policy === 'File') return true;
  if (volume.fsType === '') return false;
  return (
    volume.lifecycleMode === 'Ephemeral' ||
    volume.accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
  );
}

/** Returns the volume's attributes with facts about the pod, for drivers that ask for them. */
export function podContext(
  volume: CsiVolume,
  object: CSIDriver | undefined,
  pod: Pod,
): Readonly<Record<string, string>> {
  if (object?.spec?.podInfoOnMount !== true) return volume.attributes;
  return {
    ...volume.attributes,
    'csi.storage.k8s.io/pod.name': pod.metadata?.name ?? '',
    'csi.storage.k8s.io/pod.namespace': pod.metadata?.namespace ?? '',
    'csi.storage.k8s.io/pod.uid': podUid(pod),
    'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(volume.lifecycleMode === 'Ephemeral'),
  };
}
