import { podLogDirectoryName } from '@rxlet/pod-model';
import type { NodeSettings } from '../config/node-settings.ts';

/** Directory of a pod's own files on the node. */
export function podDirectory({ rootDirectory }: Pick<NodeSettings, 'rootDirectory'>, uid: string): string {
  return `${rootDirectory}/pods/${uid}`;
}

/** The file that the pod's containers see as /etc/hosts. */
export function etcHostsFile(settings: Pick<NodeSettings, 'rootDirectory'>, uid: string): string {
  return `${podDirectory(settings, uid)}/etc-hosts`;
}

/** Directory of the files of one container, whichever instance: its termination messages. */
export function containerDirectory(
  settings: Pick<NodeSettings, 'rootDirectory'>,
  uid: string,
  containerName: string,
): string {
  return `${podDirectory(settings, uid)}/containers/${containerName}`;
}

/** Directory of a pod's logs, which the runtime is told as its sandbox's log directory. */
export function podLogDirectory(
  { podLogsDirectory }: Pick<NodeSettings, 'podLogsDirectory'>,
  pod: { readonly name: string; readonly namespace: string; readonly uid: string },
): string {
  return `${podLogsDirectory}/${podLogDirectoryName(pod)}`;
}

/** Log file of one instance of a container, below the pod's log directory. */
export function containerLogPath(containerName: string, restartCount: number): string {
  return `${containerName}/${String(restartCount)}.log`;
}

const MAX_LINK_BASE = 251;

/** Name of the link by which log shippers find a container's log (`/var/log/containers/…`), cut so that a file system takes it. */
export function legacyLogLinkName(
  pod: { readonly name: string; readonly namespace: string },
  containerName: string,
  containerId: string,
): string {
  return `${`${pod.name}_${pod.namespace}_${containerName}-${containerId}`.slice(0, MAX_LINK_BASE)}.log`;
}
