import type { HostFiles } from '@rxlet/node-files';

const SWAPS = '/proc/swaps';
const MAX_FILE_BYTES = 1024 * 1024;

/** Reports whether the node swaps: `/proc/swaps` lists a device or a file. A kernel without swap has no such file. @throws when the file cannot be read */
export async function isSwapOn(files: Pick<HostFiles, 'read'>): Promise<boolean> {
  const file = await files.read(SWAPS, MAX_FILE_BYTES);
  // The first line is the head of the table.
  return file !== undefined && Buffer.from(file.bytes).toString().trim().includes('\n');
}
