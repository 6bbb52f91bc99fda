import type { HostFiles } from '@rxlet/node-files';

/** Far more than a chain of certificates. */
const MAX_BYTES = 1024 * 1024;

/** Returns the text of a file; `undefined` when there is none, or a link leads nowhere. */
export async function readPem(hostFiles: HostFiles, path: string): Promise<string | undefined> {
  const file = await hostFiles.read(path, MAX_BYTES);
  return file === undefined ? undefined : Buffer.from(file.bytes).toString();
}
