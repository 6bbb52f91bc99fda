import type { DirectoryHandle } from '@rxlet/node-files';
import { type LogFault, openLog, resolveLog } from './resolve-log.ts';

const READ_BYTES = 256 * 1024;

/** Files of logs. */
export interface LogFiles {
  /** Opens the log directory; `undefined` when there is none. */
  openRoot(): Promise<DirectoryHandle | undefined>;
}

/** Returns why a queried path is no file or directory below the log directory, in the words of Go; `undefined` when it is. */
export async function faultOfFile(root: DirectoryHandle | undefined, path: string): Promise<string | undefined> {
  const fault = root === undefined ? 'no such file or directory' : await faultBelow(root, path);
  return fault === undefined ? undefined : `statat ${path}: ${fault}`;
}

async function faultBelow(root: DirectoryHandle, path: string): Promise<LogFault | undefined> {
  const place = await resolveLog(root, path);
  if (place.kind === 'fault') return place.fault;
  await using _ = place.directory;
  return place.kind === 'file' && path.endsWith('/') ? 'not a directory' : undefined;
}

/**
 * Yields the log file of a service, the first that exists of `NAME`, `NAME.log` and `NAME/NAME.log`. What prevents it is part of the output, in the words of the kubelet.
 * `abortReason` returns the reason to stop, in the words of Go.
 */
export async function* serviceFileLog(
  files: LogFiles,
  service: string,
  abortReason: () => string | undefined,
): AsyncGenerator<Uint8Array, void> {
  await using root = await files.openRoot();
  for (const name of [service, `${service}.log`, `${service}/${service}.log`]) {
    await using handles = new AsyncDisposableStack();
    const place = root === undefined ? undefined : await resolveLog(root, name);
    // The log of a service may be in a directory of its name.
    if (place === undefined || place.kind === 'directory') {
      handles.use(place?.directory);
      continue;
    }
    if (place.kind === 'file') handles.use(place.directory);
    const file = place.kind === 'fault' ? place.fault : await openLog(place);
    if (file === 'no such file or directory') continue;
    if (typeof file === 'string') {
      yield Buffer.from(`\nerror getting log for ${service}: openat ${name}: ${file}\n`);
      return;
    }
    handles.use(file);
    for (let offset = 0; ;) {
      const reason = abortReason();
      if (reason !== undefined) {
        yield Buffer.from(`\nerror getting log for ${service}: ${reason}\n`);
        return;
      }
      const block = await file.read(offset, READ_BYTES);
      if (block.length === 0) return;
      offset += block.length;
      yield block;
    }
  }
  yield Buffer.from(`\nlog not found for ${service}\n`);
}
