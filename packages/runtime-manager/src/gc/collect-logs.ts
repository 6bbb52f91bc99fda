import { ContainerState, isNotFound } from '@rxlet/cri-api';
import type { RuntimePod } from '@rxlet/pod-model';
import type { Context } from '../context.ts';

/** Makes one removal; what fails is on record then and does not keep the others from being made. @returns whether it was made. */
export type Attempt = (target: string, removal: () => Promise<boolean>) => Promise<boolean>;

/** Ids cut shorter than this in the name of a link tell too little. */
const SHORTEST_ID = 6;

/** Removes the log directories of pods that are gone. What is not named as such a directory is not ours. @returns their names. */
export async function collectLogDirectories(
  { files, settings }: Context,
  isGone: (uid: string) => boolean,
  attempt: Attempt,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await files.list(settings.podLogsDirectory)) {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    if (uid === name || uid === '' || !isGone(uid)) continue;
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
 * Removes links for log shippers that lead nowhere. The log of a live container can be missing for a moment while it is rotated, so the runtime is asked
 * about the container at that moment, and the link stays unless it has ended or is gone.
 * @param pods what the runtime held a while ago, to complete ids that were cut
 */
export async function collectLogLinks(
  context: Context,
  pods: readonly RuntimePod[],
  attempt: Attempt,
  signal: AbortSignal,
): Promise<void> {
  const { files, containerLogsDirectory } = context;
  if (containerLogsDirectory === undefined) return;
  const ids = pods.flatMap(({ containers }) => containers.map(({ id }) => id.id));
  for (const name of await files.list(containerLogsDirectory)) {
    if (!name.endsWith('.log')) continue;
    const path = `${containerLogsDirectory}/${name}`;
    await attempt(path, async () => {
      if (await files.exists(path)) return false;
      const id = name.slice(name.lastIndexOf('-') + 1, -'.log'.length);
      const containerId = ids.find((known) => known.startsWith(id)) ?? id;
      if (id.length >= SHORTEST_ID && !(await hasEnded(context, containerId, signal))) return false;
      await files.removeFile(path);
      return true;
    });
  }
}

async function hasEnded({ runtime }: Context, containerId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { status } = await runtime.containerStatus({ containerId }, { signal });
    return status?.state === ContainerState.CONTAINER_EXITED;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
