import { posix } from 'node:path';
import { create } from '@bufbuild/protobuf';
import type { MountedVolume, PodVolumes } from '@rxlet/agent-api/volumes';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { DEFAULT_MAX_MESSAGE_BYTES, type ImageSpec, type Mount, MountSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod, VolumeMount } from '@rxlet/kube-api';
import type { HostFiles } from '@rxlet/node-files';
import { absoluteContainerPath, formatPod, podUid } from '@rxlet/pod-model';
import { containerConfigError } from '../config/config-error.ts';
import { isRecursiveReadOnly, mountedSubPath, mountPropagation } from './mount-options.ts';

/** Ports of {@link volumeMounts}. */
export interface VolumeMountsPorts {
  /** Makes and prepares sub paths. */
  readonly subPaths: Pick<PodVolumes, 'makeSubPath' | 'prepareSubPath'>;
  readonly hostFiles: Pick<HostFiles, 'stat'>;
  readonly logger: Logger;
}

/** Input of {@link volumeMounts}. */
export interface VolumeMountsInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  /** The pod's mounted volumes by name, image volumes included. */
  readonly volumes: ReadonlyMap<string, MountedVolume>;
  /** Images of the pod's image volumes by name; `undefined` for a pod without image volumes. */
  readonly images: ReadonlyMap<string, ImageSpec> | undefined;
  /** Variables of the container. */
  readonly environment: ReadonlyMap<string, string>;
  /** Whether the pod's runtime handler can mount recursively read-only. */
  readonly supportsRecursiveReadOnly: boolean;
  /** Whether SELinux is enabled on the node. */
  readonly seLinux: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes of an annotation in a message, beside its key and its value. */
const ANNOTATION_BYTES = 6;

/** Permission bits of a volume that a sub path takes over. */
const PERMISSIONS = 0o777;

/**
 * Returns the mounts of a container's volumes, in their order. Missing sub paths are created.
 * @throws ConfigError for a mount that cannot be made
 */
export async function volumeMounts(ports: VolumeMountsPorts, input: VolumeMountsInput): Promise<Mount[]> {
  checkImageMounts(input);
  const mounts: Mount[] = [];
  for (const [index, mount] of (input.container.volumeMounts ?? []).entries()) {
    mounts.push(await volumeMount(ports, input, mount, index));
  }
  return mounts;
}

/** Checks that a runtime takes the mounts of image volumes, each of which has the annotations of the pod. @throws ConfigError */
function checkImageMounts({ container, images }: VolumeMountsInput): void {
  const mounted = (container.volumeMounts ?? []).flatMap(({ name }) => images?.get(name) ?? []);
  const annotations = Object.entries(mounted[0]?.annotations ?? {});
  const bytes = annotations.reduce((sum, [key, value]) => sum + key.length + value.length + ANNOTATION_BYTES, 0);
  if (mounted.length * bytes <= DEFAULT_MAX_MESSAGE_BYTES) return;
  const limit = `${String(DEFAULT_MAX_MESSAGE_BYTES)} bytes`;
  throw containerConfigError(`the annotations of the pod in the mounts of image volumes have more than ${limit}`);
}

async function volumeMount(
  ports: VolumeMountsPorts,
  input: VolumeMountsInput,
  mount: VolumeMount,
  index: number,
): Promise<Mount> {
  const { container, volumes, images, environment } = input;
  const { name, mountPath } = mount;
  const volume = volumes.get(name);
  if (volume === undefined || volume.devicePath !== undefined) {
    throw containerConfigError(
      `cannot find volume ${goQuote(name)} to mount into container ${goQuote(container.name)}`,
    );
  }
  const subPath = mountedSubPath(mount, environment);
  const image = images?.get(name);
  const hostPath = image === undefined ? await hostPathOf(ports, input, { mount, index, volume, subPath }) : '';
  return create(MountSchema, {
    hostPath,
    containerPath: mountPath.startsWith('/') ? mountPath : absoluteContainerPath(mountPath),
    readonly: mount.readOnly === true || volume.readOnly,
    propagation: mountPropagation(mount),
    recursiveReadOnly: isRecursiveReadOnly(mount, input.supportsRecursiveReadOnly),
    selinuxRelabel: input.seLinux && volume.managed && volume.seLinuxRelabel && !volume.seLinuxLabeled,
    ...(image !== undefined && { image }),
    // As with a kubelet, all mounts of a pod with image volumes have this field; runtimes ignore it without an image.
    ...(images !== undefined && { imageSubPath: subPath }),
  });
}

/** A mount of a volume that is not an image. */
interface HostMount {
  readonly mount: VolumeMount;
  /** Index among the container's mounts. */
  readonly index: number;
  readonly volume: MountedVolume;
  readonly subPath: string;
}

async function hostPathOf(
  { subPaths, hostFiles, logger }: VolumeMountsPorts,
  { pod, container, signal }: VolumeMountsInput,
  { mount, index, volume, subPath }: HostMount,
): Promise<string> {
  const { hostPath: volumePath, innerVolumeSpecName } = volume;
  if (volumePath === '') throw containerConfigError(`path of volume ${goQuote(mount.name)} is empty`);
  if (subPath === '') return volumePath;

  /** Rejects without the cause, which may name files of the node. */
  const failing = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const about = { pod: formatPod(pod), container: container.name, volume: mount.name, subPath };
      logger.error(`cannot ${what}`, { ...about, error: errorMessage(error) });
      throw containerConfigError(
        `failed to ${what} for volumeMount ${goQuote(mount.name)} of container ${goQuote(container.name)}`,
      );
    }
  };
  if (!(await mayExist(hostFiles, posix.join(volumePath, subPath)))) {
    const volumeInfo = await hostFiles.stat(volumePath);
    if (volumeInfo === undefined) throw containerConfigError(`stat ${volumePath}: no such file or directory`);
    await failing('create subPath directory', () =>
      subPaths.makeSubPath(volumePath, subPath, volumeInfo.mode & PERMISSIONS, signal),
    );
  }
  const containerName = container.name;
  const request = { podUid: podUid(pod), containerName, mountIndex: index, innerVolumeSpecName, volumePath, subPath };
  return failing('prepare subPath', () => subPaths.prepareSubPath(request, signal));
}

/** Reports whether a path exists or cannot be examined; preparing it then reports the fault. */
async function mayExist(hostFiles: Pick<HostFiles, 'stat'>, path: string): Promise<boolean> {
  try {
    return (await hostFiles.stat(path)) !== undefined;
  } catch {
    return true;
  }
}
