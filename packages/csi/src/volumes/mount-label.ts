import type { VolumeLabels } from '@rxlet/agent-api/volumes';
import type { Pod, SELinuxOptions } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';

/** A volume that may be mounted with a label. */
export interface LabelledVolume {
  /** Name in the pod's spec. Containers use the volume by it. */
  readonly podVolumeName: string;
  readonly accessModes: readonly string[];
  /** The driver mounts with `-o context` (CSIDriver: `seLinuxMount`). */
  readonly isSupported: boolean;
}

/**
 * Returns the label that a volume is mounted with, instead of a later change of each of its files; empty when it is not (kubelet: GetMountSELinuxLabel with the feature
 * gate `SELinuxMountReadWriteOncePod`).
 *
 * @throws Error with the kubelet's message when containers of the pod use the volume with different labels
 */
export function mountLabel(
  policy: VolumeLabels | undefined,
  pod: Pod,
  { podVolumeName, accessModes, isSupported }: LabelledVolume,
): string {
  // Volumes of several pods could have different labels.
  if (policy === undefined || accessModes.length !== 1 || accessModes[0] !== 'ReadWriteOncePod') return '';
  const ofPod = pod.spec?.securityContext;
  const users = podContainers(pod).filter(({ container }) =>
    container.volumeMounts?.some(({ name }) => name === podVolumeName),
  );
  const labels = new Set(
    users
      .map(({ container }) => container.securityContext?.seLinuxOptions ?? ofPod?.seLinuxOptions)
      .filter((options) => options !== undefined)
      .map((options) => fileLabel(policy, options)),
  );
  if (labels.size > 1) throw new Error(`multiple SELinux labels found: ${[...labels].toSorted().join(',')}`);
  if (!isSupported || ofPod?.seLinuxChangePolicy === 'Recursive') return '';
  return [...labels][0] ?? '';
}

/**
 * Returns the label of the files of a container. User and level are those of the container; role and type those of files. It is empty without a level, which the
 * runtime then chooses for each container.
 */
export function fileLabel({ fileContext }: VolumeLabels, { user = '', level = '' }: SELinuxOptions): string {
  const [defaultUser = '', role, type] = fileContext.split(':');
  if (level === '' || role === undefined || type === undefined) return '';
  return [user === '' ? defaultUser : user, role, type, level].join(':');
}

/** Returns the mount option for a label. The quotes are needed for the comma in it. */
export function contextOption(label: string): readonly string[] {
  return label === '' ? [] : [`context=${JSON.stringify(label)}`];
}
