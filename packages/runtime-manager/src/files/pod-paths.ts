import { podLogDirectoryName } from '@rxlet/pod-model';
import type { NodeSettings } from '../config/node-settings.ts';

/** Returns the directory of a pod's own files on the node. */
export function podDirectory({ rootDirectory }: Pick<NodeSettings, 'rootDirectory'>, uid: string): string {
  return `${rootDirectory}/pods/${uid}`;
}

/** Returns the path of the file that is mounted at /etc/hosts in the pod's containers. */
export function etcHostsFile(settings: Pick<NodeSettings, 'rootDirectory'>, uid: string): string {
  return `${podDirectory(settings, uid)}/etc-hosts`;
}

/** Returns the directory of the termination messages of all instances of a container. */
export function containerDirectory(
  settings: Pick<NodeSettings, 'rootDirectory'>,
  uid: string,
  containerName: string,
): string {
  return `${podDirectory(settings, uid)}/containers/${containerName}`;
}

/** Returns the directory of a pod's logs, which is the log directory of its sandbox. */
export function podLogDirectory(
  { podLogsDirectory }: Pick<NodeSettings, 'podLogsDirectory'>,
  pod: { readonly name: string; readonly namespace: string; readonly uid: string },
): string {
  return `${podLogsDirectory}/${podLogDirectoryName(pod)}`;
}

/** Returns the path of a container instance's log file in the pod's log directory. */
export function containerLogPath(containerName: string, restartCount: number): string {
  return `${containerName}/${String(restartCount)}.log`;
}

/** Longest file name of common file systems, without the extension. */
const MAX_LINK_BASE = 251;

/** Returns the name of the link to a container's log for log shippers (`/var/log/containers/…`), cut to the length that file systems accept. */
export function legacyLogLinkName(
  pod: { readonly name: string; readonly namespace: string },
  containerName: string,
  containerId: string,
): string {
  return `${`${pod.name}_${pod.namespace}_${containerName}-${containerId}`.slice(0, MAX_LINK_BASE)}.log`;
}
