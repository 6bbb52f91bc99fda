import { type Clock, errorMessage, type Random } from '@rxlet/component-base';
import { type DirectoryHandle, systemErrorCode } from '@rxlet/node-files';
import type { Payload, PayloadFile } from '../payload/payload.ts';
import { compareVersion, currentVersion, DATA_LINK } from './current-version.ts';
import { checkPayloadPaths } from './payload-paths.ts';

const NEW_DATA_LINK = '..data_tmp';
const DIRECTORY_MODE = 0o755;
const PERMISSIONS = 0o777;

/** Ports of {@link writePayload}. */
export interface WritePayloadPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/**
 * Replaces the files of a volume in one step, as the kubelet's AtomicWriter does: a version is written into a directory of its own, `..data` is pointed to it,
 * and the visible names are links through `..data`. A reader sees either the previous or the new version. Unchanged content is not written again.
 *
 * A failure leaves the previous version visible. The directory of a version that failed stays until {@link removeStaleVersions}.
 *
 * @param setOwnership runs after the version was written and before it becomes visible
 * @returns whether a new version became visible
 */
export async function writePayload(
  volume: DirectoryHandle,
  payload: Payload,
  ports: WritePayloadPorts,
  setOwnership: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  const files = checkPayloadPaths(payload);
  const previous = await currentVersion(volume);
  const difference = previous === undefined ? undefined : await compareVersion(volume, previous, files);
  const isCurrent = difference !== undefined && !difference.isChanged && difference.surplus.length === 0;
  if (!isCurrent) await publish(volume, await writeVersion(volume, files, ports, setOwnership));
  // Also for a version that is current: the agent may have been killed before they were all made.
  await makeVisible(volume, files);
  await removeNames(volume, difference?.surplus ?? []);
  if (!isCurrent && previous !== undefined) await volume.removeTree(previous);
  return !isCurrent;
}

/** Removes versions of a volume that were never published or are no longer current, as a killed agent leaves them. */
export async function removeStaleVersions(volume: DirectoryHandle): Promise<void> {
  const names = await volume.list();
  if (names.includes(NEW_DATA_LINK)) await volume.remove(NEW_DATA_LINK);
  const versions = names.filter((name) => VERSION_NAME.test(name));
  if (versions.length === 0) return;
  const current = await currentVersion(volume);
  for (const name of versions) if (name !== current) await volume.removeTree(name);
}

const VERSION_NAME = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

async function writeVersion(
  volume: DirectoryHandle,
  files: Payload,
  { clock, random }: WritePayloadPorts,
  setOwnership: () => Promise<void>,
): Promise<string> {
  const version = `..${timestamp(clock.now())}.${String(Number.parseInt(random.hex(4), 16))}`;
  await volume.makeDirectory(version, DIRECTORY_MODE);
  {
    await using directory = await volume.openDirectory(version);
    for (const [path, file] of files) await writeFile(directory!, path.split('/'), file);
  }
  await setOwnership();
  return version;
}

async function writeFile(
  directory: DirectoryHandle,
  [name = '', ...below]: readonly string[],
  file: PayloadFile,
): Promise<void> {
  if (below.length > 0) {
    if ((await directory.stat(name)) === undefined) await directory.makeDirectory(name, DIRECTORY_MODE);
    await using next = await directory.openDirectory(name);
    return await writeFile(next!, below, file);
  }
  {
    // No set-user-id bits and the like, whatever the API has.
    await using created = await directory.createFile(name, file.mode & PERMISSIONS);
    await created.write(file.content);
  }
  if (file.fsUser === undefined) return;
  await directory.chown(name, file.fsUser, -1);
}

/** Points `..data` to a version in one step. */
async function publish(volume: DirectoryHandle, version: string): Promise<void> {
  let isLinked = false;
  try {
    await volume.symlink(version, NEW_DATA_LINK);
    isLinked = true;
    await volume.rename(NEW_DATA_LINK, DATA_LINK);
  } catch (error) {
    if (isLinked) await volume.remove(NEW_DATA_LINK).catch(() => undefined);
    await volume.removeTree(version).catch(() => undefined);
    throw error;
  }
}

/** Creates the links that users see. What has their name already is left alone. */
async function makeVisible(volume: DirectoryHandle, files: Payload): Promise<void> {
  for (const [path, { fsUser }] of files) {
    const name = path.split('/', 1)[0]!;
    try {
      await volume.symlink(`${DATA_LINK}/${name}`, name);
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') continue;
      throw error;
    }
    if (fsUser !== undefined) await volume.chown(name, fsUser, -1);
  }
}

/** Removes the links to what the volume no longer has. All are tried; the last failure is thrown. */
async function removeNames(volume: DirectoryHandle, paths: readonly string[]): Promise<void> {
  let failure: Error | undefined;
  for (const name of paths.filter((path) => !path.includes('/'))) {
    try {
      await removeName(volume, name);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(errorMessage(error));
    }
  }
  if (failure !== undefined) throw failure;
}

async function removeName(volume: DirectoryHandle, name: string): Promise<void> {
  const info = await volume.stat(name);
  if (info === undefined) throw new Error(`there is no ${name} to remove`);
  if (info.kind === 'directory') await volume.removeDirectory(name);
  else await volume.remove(name);
}

/** Formats a time as `2006_01_02_15_04_05` in UTC. */
function timestamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '_');
}
