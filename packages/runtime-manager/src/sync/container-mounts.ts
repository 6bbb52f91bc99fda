import { create } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import { type ContainerConfig, type Mount, MountSchema } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import { podHostname } from '../config/hostname.ts';
import type { Context } from '../context.ts';
import { etcHostsContent } from '../files/etc-hosts.ts';
import { containerDirectory, etcHostsFile, podDirectory } from '../files/pod-paths.ts';

/** Makes the files that the agent itself puts into a container. @returns what to mount, in order: /etc/hosts, then the file for the termination message. */
export async function prepareOwnMounts(
  context: Context,
  pod: Pod,
  container: Container | EphemeralContainer,
  podIps: readonly string[],
): Promise<Mount[]> {
  await context.files.makeDirectory(podDirectory(context.settings, pod.metadata?.uid ?? ''), 0o750);
  const mounts = [
    await prepareEtcHosts(context, pod, container, podIps),
    await prepareTerminationMessage(context, pod, container),
  ];
  return mounts.filter((mount) => mount !== undefined);
}

/** Written anew for each start, so that it follows the sandbox's addresses. A container that mounts something there has its own. */
async function prepareEtcHosts(
  { files, settings, nodeHostsFile }: Context,
  pod: Pod,
  container: Container | EphemeralContainer,
  podIps: readonly string[],
): Promise<Mount | undefined> {
  const hostNetwork = isHostNetworkPod(pod);
  if (podIps.length === 0 && !hostNetwork) return undefined;
  if (container.volumeMounts?.some(({ mountPath }) => mountPath === '/etc/hosts')) return undefined;
  const nodeHosts = hostNetwork ? await files.readNodeFile(nodeHostsFile) : '';
  const hostPath = etcHostsFile(settings, pod.metadata?.uid ?? '');
  const content = etcHostsContent(pod, podIps, podHostname(pod, settings.clusterDomain), nodeHosts);
  await files.writeFile(hostPath, content, 0o644);
  return create(MountSchema, { containerPath: '/etc/hosts', hostPath, selinuxRelabel: settings.seLinux });
}

/** Each instance gets a file of its own, which any user of the container may write to. */
async function prepareTerminationMessage(
  { files, settings, random }: Context,
  pod: Pod,
  container: Container | EphemeralContainer,
): Promise<Mount | undefined> {
  const containerPath = container.terminationMessagePath ?? '';
  if (containerPath === '') return undefined;
  const directory = containerDirectory(settings, pod.metadata?.uid ?? '', container.name);
  await files.makeDirectory(directory, 0o750);
  const hostPath = `${directory}/${random.hex(4)}`;
  await files.createFile(hostPath, 0o666);
  return create(MountSchema, { containerPath, hostPath, selinuxRelabel: settings.seLinux });
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
