import { create } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { type ContainerConfig, type Mount, MountSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { HostFiles } from '@rxlet/node-files';
import { absoluteContainerPath, isHostNetworkPod, podUid } from '@rxlet/pod-model';
import { containerConfigError } from '../config/config-error.ts';
import { podHostname } from '../config/hostname.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { Context } from '../context.ts';
import { etcHostsContent } from '../files/etc-hosts.ts';
import { containerDirectory, etcHostsFile, podDirectory } from '../files/pod-paths.ts';
import { readHostFile } from '../files/read-host-file.ts';

/** Ports and settings of the files that the agent provides to containers. */
export interface OwnMountsPorts extends Pick<Context, 'files' | 'random' | 'nodeHostsFile'> {
  readonly hostFiles: Pick<HostFiles, 'read'>;
  readonly settings: Pick<NodeSettings, 'rootDirectory' | 'clusterDomain' | 'seLinux'>;
}

/** File /etc/hosts of a pod's containers during one sync. */
export interface EtcHosts {
  /** Returns the path of the file, `undefined` for a pod without it. The first call writes the file. */
  write(): Promise<string | undefined>;
}

/** Creates an {@link EtcHosts}. Each sync that starts containers rewrites the file, because the sandbox's addresses may have changed. */
export function createEtcHosts(
  { files, hostFiles, settings, nodeHostsFile }: OwnMountsPorts,
  pod: Pod,
  podIps: readonly string[],
): EtcHosts {
  const hostNetwork = isHostNetworkPod(pod);
  const path = etcHostsFile(settings, podUid(pod));
  let written = false;
  return {
    async write() {
      if (podIps.length === 0 && !hostNetwork) return undefined;
      if (written) return path;
      await files.makeDirectory(podDirectory(settings, podUid(pod)), 0o750);
      const nodeHosts = hostNetwork ? await readHostFile(hostFiles, nodeHostsFile) : '';
      await files.writeFile(
        path,
        etcHostsContent(pod, podIps, podHostname(pod, settings.clusterDomain), nodeHosts),
        0o644,
      );
      written = true;
      return path;
    },
  };
}

/** Returns the mount of /etc/hosts, and writes the file; `undefined` for a container that mounts a volume there, and for a pod without the file. */
export async function hostsMount(
  { settings }: OwnMountsPorts,
  container: Container | EphemeralContainer,
  etcHosts: EtcHosts,
): Promise<Mount | undefined> {
  // As in the kubelet, only this very spelling counts.
  if (container.volumeMounts?.some(({ mountPath }) => mountPath === '/etc/hosts') === true) return undefined;
  const hostPath = await etcHosts.write();
  if (hostPath === undefined) return undefined;
  return create(MountSchema, { containerPath: '/etc/hosts', hostPath, selinuxRelabel: settings.seLinux });
}

/**
 * Creates the termination message file of an instance, writable for any user, and returns its mount; `undefined` for a container without one. It must be the
 * last file, so that no later failure leaves it behind.
 */
export async function terminationMessageMount(
  { files, random, settings }: OwnMountsPorts,
  pod: Pod,
  { name, terminationMessagePath = '' }: Container | EphemeralContainer,
): Promise<Mount | undefined> {
  if (terminationMessagePath === '') return undefined;
  const directory = containerDirectory(settings, podUid(pod), name);
  await files.makeDirectory(directory, 0o750);
  const hostPath = `${directory}/${random.hex(4)}`;
  await files.createFile(hostPath, 0o666);
  const containerPath = absoluteContainerPath(terminationMessagePath);
  return create(MountSchema, { containerPath, hostPath, selinuxRelabel: settings.seLinux });
}

/**
 * Checks that every volume mount of the container is in its configuration. Without this check a container of an unsupported volume kind would run without its
 * data.
 *
 * @throws ConfigError with the kubelet's message
 */
export function requireVolumeMounts(
  { name: containerName, volumeMounts = [] }: Container | EphemeralContainer,
  { mounts }: ContainerConfig,
): void {
  for (const { name, mountPath } of volumeMounts) {
    const path = absoluteContainerPath(mountPath);
    if (mounts.some(({ containerPath }) => absoluteContainerPath(containerPath) === path)) continue;
    throw containerConfigError(`cannot find volume ${goQuote(name)} to mount into container ${goQuote(containerName)}`);
  }
}

/** Removes the termination message file of a container that was not created. */
export async function discardTerminationMessage(
  { files, logger }: Pick<Context, 'files' | 'logger'>,
  { name, terminationMessagePath = '' }: Container | EphemeralContainer,
  config: ContainerConfig,
): Promise<void> {
  // The agent's mount is the last one at this path; a volume may be mounted there too.
  const path = absoluteContainerPath(terminationMessagePath);
  const mount = config.mounts.findLast(({ containerPath }) => containerPath === path);
  if (terminationMessagePath === '' || mount === undefined) return;
  try {
    await files.removeFile(mount.hostPath);
  } catch (error) {
    logger.warn('cannot remove the termination message file of a container that was not created', {
      container: name,
      error: errorMessage(error),
    });
  }
}
