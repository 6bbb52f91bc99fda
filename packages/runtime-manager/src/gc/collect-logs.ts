import type { RuntimePod } from '@rxlet/pod-model';
import type { Context } from '../context.ts';

/** Ids cut shorter than this in the name of a link tell too little. */
const SHORTEST_ID = 6;

/** Removes the log directories of pods that are gone. @returns their names. */
export async function collectLogDirectories(
  { files, settings }: Context,
  isGone: (uid: string) => boolean,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await files.list(settings.podLogsDirectory)) {
    const uid = name.slice(name.lastIndexOf('_') + 1);
    if (uid === name || !isGone(uid)) continue;
    await files.removeTree(`${settings.podLogsDirectory}/${name}`);
    removed.push(name);
  }
  return removed;
}

/**
 * Removes links for log shippers that lead nowhere. The log of a live container can be missing for a moment while it is rotated, so its link stays.
 * @param pods what the runtime held before the links were looked at
 */
export async function collectLogLinks(
  { files, containerLogsDirectory }: Context,
  pods: readonly RuntimePod[],
): Promise<void> {
  if (containerLogsDirectory === undefined) return;
  const live = pods.flatMap(({ containers }) =>
    containers.filter(({ state }) => state !== 'exited').map(({ id }) => id.id),
  );
  for (const name of await files.list(containerLogsDirectory)) {
    if (!name.endsWith('.log') || (await files.exists(`${containerLogsDirectory}/${name}`))) continue;
    const id = name.slice(name.lastIndexOf('-') + 1, -'.log'.length);
    if (id.length >= SHORTEST_ID && live.some((liveId) => liveId.startsWith(id))) continue;
    await files.removeFile(`${containerLogsDirectory}/${name}`);
  }
}
