import { goQuote } from '@rxlet/component-base/go';
import type { NodeFiles } from '@rxlet/node-files';

/** Record of a CSI volume, which a later agent needs to remove it (kubelet: vol_data.json). */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly volumeLifecycleMode?: string;
}

const FILE = 'vol_data.json';
/** End of the name that a file has until it replaces another one. */
const TEMPORARY = '.tmp';
const MODE = 0o644;
const MAX_BYTES = 64 * 1024;

/** Saves the record of a volume in its directory. Rejects for one that could not be read again. */
export async function writeVolumeData(
  files: Pick<NodeFiles, 'replaceFile'>,
  directory: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  // Sorted, as Go writes a map.
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const text = `${JSON.stringify(sorted)}\n`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Error('the names of the volume have more than 64 KiB');
  await files.replaceFile(`${directory}/${FILE}`, text, MODE);
}

/** Reads the record of a volume; `undefined` when there is none. @throws Error for a damaged one */
export async function readVolumeData(
  files: Pick<NodeFiles, 'readFile'>,
  directory: string,
): Promise<VolumeData | undefined> {
  const path = `${directory}/${FILE}`;
  const bytes = await files.readFile(path, MAX_BYTES);
  if (bytes === undefined) return undefined;
  const data = parse(Buffer.from(bytes).toString());
  if (data === undefined) throw new Error(`unmounter failed to load volume data file [${path}]: it is damaged`);
  return data;
}

/** Removes the record of a volume, also one that an agent was writing when it was killed. */
export async function removeVolumeData(files: Pick<NodeFiles, 'removeFile'>, directory: string): Promise<void> {
  await files.removeFile(`${directory}/${FILE}${TEMPORARY}`);
  await files.removeFile(`${directory}/${FILE}`);
}

/** Throws for names that lead out of the agent's directories. */
export function checkDriverName(driver: string): void {
  if (!/^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$/.test(driver) || driver.length > 63)
    throw new Error(`driver name ${goQuote(driver)} is invalid`);
}

function parse(text: string): VolumeData | undefined {
  try {
    const data = JSON.parse(text) as Partial<Record<string, unknown>> | null;
    const { driverName, volumeHandle, volumeLifecycleMode } = data ?? {};
    if (typeof driverName !== 'string' || typeof volumeHandle !== 'string') return undefined;
    if (driverName === '' || volumeHandle === '') return undefined;
    return {
      driverName,
      volumeHandle,
      ...(typeof volumeLifecycleMode === 'string' && { volumeLifecycleMode }),
    };
  } catch {
    return undefined;
  }
}
