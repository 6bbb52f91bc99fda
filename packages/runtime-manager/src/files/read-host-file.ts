import type { HostFiles } from '@rxlet/node-files';

/** The kubelet's limit for resolv.conf. Hosts files that block thousands of domains stay below it. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Returns the text of a file of the node. Rejects when the file does not exist. */
export async function readHostFile(hostFiles: Pick<HostFiles, 'read'>, path: string): Promise<string> {
  const file = await hostFiles.read(path, MAX_BYTES);
  if (file === undefined) throw new Error(`${path}: no such file`);
  return new TextDecoder().decode(file.bytes);
}
