import { type Clock, errorMessage } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import { parseResolvConf, type ResolvConf } from '../config/resolv-conf.ts';
import { readHostFile } from './read-host-file.ts';

/** Pods that start together share one reading. */
const KEPT_MS = 1000;

/**
 * Creates a function that returns the node's resolv.conf, at most a second old; `undefined` for an empty path. It rejects when the file cannot be read, and tries
 * again at the next call.
 */
export function createResolvConfReader(
  { clock, hostFiles }: { readonly clock: Clock; readonly hostFiles: Pick<HostFiles, 'read'> },
  path: string,
): () => Promise<ResolvConf | undefined> {
  let latest: { readonly conf: Promise<ResolvConf>; readonly readMs: number } | undefined;
  const read = async (): Promise<ResolvConf> => {
    try {
      return parseResolvConf(await readHostFile(hostFiles, path));
    } catch (error) {
      latest = undefined;
      const cause = errorMessage(error);
      throw new Error(`cannot read resolv.conf for pods: ${cause}; set resolvConf to another file, or to "" for none`, {
        cause: error,
      });
    }
  };
  return async () => {
    if (path === '') return undefined;
    const nowMs = clock.monotonicNow();
    if (latest === undefined || nowMs - latest.readMs >= KEPT_MS) latest = { conf: read(), readMs: nowMs };
    return latest.conf;
  };
}
