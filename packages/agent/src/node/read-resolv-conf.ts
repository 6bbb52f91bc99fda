import { readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import { parseResolvConf, type ResolvConf } from '@rxlet/runtime-manager';

/**
 * Reads a resolv.conf for the option `resolvConf` of an agent.
 *
 * @param path `''`: pods get nothing of the node's DNS settings
 * @throws when the file cannot be read
 */
export async function readResolvConf(path: string): Promise<ResolvConf | undefined> {
  if (path === '') return undefined;
  try {
    return parseResolvConf(await readFile(path, 'utf8'));
  } catch (error) {
    const cause = errorMessage(error);
    throw new Error(`cannot read the DNS settings for pods: ${cause}; name another file as resolvConf, or none by ""`, {
      cause: error,
    });
  }
}
