import { create } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import { type ContainerConfig, type Mount, MountSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import { podHostname } from '../config/hostname.ts';
import type { Context } from '../context.ts';
import { etcHostsContent } from '../files/etc-hosts.ts';
import { containerDirectory, etcHostsFile, podDirectory } from '../files/pod-paths.ts';

/** The file that a pod's containers see as /etc/hosts, in one sync. */
export interface EtcHosts {
  /** Writes it for the first container that wants it. The pod's directory must be there. @returns its path; `undefined` for a pod that gets none. */
  write(): Promise<string | undefined>;
}

/** Creates an {@link EtcHosts}. Each sync that starts something writes the file anew, so that it follows the sandbox's addresses. */
export function createEtcHosts(
  { files, settings, nodeHostsFile }: Context,
  pod: Pod,
  podIps: readonly string[],
): EtcHosts {
  const hostNetwork = isHostNetworkPod(pod);
  const path = etcHostsFile(settings, pod.metadata?.uid ?? '');
  let written = false;
  return {
    async write() {
      if (podIps.length === 0 && !hostNetwork) return undefined;
      if (written) return path;
      const nodeHosts = hostNetwork ? await files.readNodeFile(nodeHostsFile) : '';
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

/** Makes the files that the agent itself puts into a container. @returns what to mount, in order: /etc/hosts, then the file for the termination message. */
export async function prepareOwnMounts(
  context: Context,
  pod: Pod,
  container: Container | EphemeralContainer,
  etcHosts: EtcHosts,
): Promise<Mount[]> {
  const { files, settings } = context;
  const uid = pod.metadata?.uid ?? '';
  const messagePath = container.terminationMessagePath ?? '';
  const directory =
    messagePath === '' ? podDirectory(settings, uid) : containerDirectory(settings, uid, container.name);
  await files.makeDirectory(directory, 0o750);
  const mounts: Mount[] = [];
  const add = (containerPath: string, hostPath: string): void =>
    void mounts.push(create(MountSchema, { containerPath, hostPath, selinuxRelabel: settings.seLinux }));

  // A container that mounts something there has its own.
  const ownHosts = container.volumeMounts?.some(({ mountPath }) => mountPath === '/etc/hosts') ?? false;
  const hostsFile = ownHosts ? undefined : await etcHosts.write();
  if (hostsFile !== undefined) add('/etc/hosts', hostsFile);
  if (messagePath !== '') add(messagePath, await createMessageFile(context, directory));
  return mounts;
}

/** Each instance gets a file of its own, which any user of the container may write to. Made last, so that nothing that fails after it leaves it behind. */
async function createMessageFile({ files, random }: Context, directory: string): Promise<string> {
  const path = `${directory}/${random.hex(4)}`;
  await files.createFile(path, 0o666);
  return path;
}

/** Removes the file for the termination message of a container that was not created after all. */
export async function discardTerminationMessage(
  { files, logger }: Context,
  { name, terminationMessagePath = '' }: Container | EphemeralContainer,
  config: ContainerConfig,
): Promise<void> {
  // It was mounted last, so that a mount that the container asks for at the same path is not taken for it.
  const mount = config.mounts.findLast(({ containerPath }) => containerPath === terminationMessagePath);
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
