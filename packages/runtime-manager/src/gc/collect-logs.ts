import { ContainerState, isNotFound } from '@rxlet/cri-api';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import type { Context } from '../context.ts';

/** Performs one removal and records its failure. @returns whether the target was removed */
export type Attempt = (target: string, removal: () => Promise<boolean>) => Promise<boolean>;

/** Shortest part of a container id in a link's name that identifies the container. */
const SHORTEST_ID = 6;

/** Removes the log directories of removed pods. Directories with names of another form are ignored. @returns the names of removed directories */
export async function collectLogDirectories(
  { files, settings }: Pick<Context, 'files' | 'settings'>,
  isPodRemoved: (uid: string) => boolean,
  attempt: Attempt,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await files.list(settings.podLogsDirectory)) {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    if (uid === name || uid === '' || !isPodRemoved(uid)) continue;
    const path = `${settings.podLogsDirectory}/${name}`;
    const done = await attempt(path, async () => {
      await files.removeTree(path);
      return true;
    });
    if (done) removed.push(name);
  }
  return removed;
}

/**
 * Removes dangling links for log shippers. The log of a running container can be missing while it is rotated, so a link is removed only if the container has
 * exited or was removed.
 * @param pods recent list of the runtime's pods, to complete ids that were cut in links
 */
export async function collectLogLinks(
  ports: Pick<Context, 'runtime' | 'files' | 'containerLogsDirectory'>,
  pods: readonly RuntimePod[],
  attempt: Attempt,
  signal: AbortSignal,
): Promise<void> {
  const { files, containerLogsDirectory } = ports;
  if (containerLogsDirectory === undefined) return;
  const ids = pods.flatMap(({ containers }) => containers.map(({ id }) => id.id));
  for (const name of await files.list(containerLogsDirectory)) {
    if (!name.endsWith('.log')) continue;
    const path = `${containerLogsDirectory}/${name}`;
    await attempt(path, async () => {
      if (await files.exists(path)) return false;
      const id = name.slice(name.lastIndexOf('-') + 1, -'.log'.length);
      const containerId = ids.find((known) => known.startsWith(id)) ?? id;
      if (id.length >= SHORTEST_ID && !(await hasExited(ports, containerId, signal))) return false;
      await files.removeFile(path);
      return true;
    });
  }
}

async function hasExited(
  { runtime }: Pick<Context, 'runtime'>,
  containerId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    return status?.state === ContainerState.CONTAINER_EXITED;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
