import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { MountRequest } from './mounter.ts';

/** A regular file without a name (kernel: `O_TMPFILE`). Node does not export it. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const DIRECTORIES = ['/dev/shm', '/tmp'];

/** A file system that is mounted without access to a device or server, so that its mount never waits. */
export type MemoryMount = MountRequest & { readonly source: string; readonly fsType: string };

/** Reports whether a request is for a file system in memory. */
export function isMemoryMount(request: MountRequest): request is MemoryMount {
  return request.fsType === 'tmpfs' || request.fsType === 'hugetlbfs';
}

/** Returns the list of file systems that mount(8) reads, in the format of fstab(5). */
export function formatMountList(mounts: readonly MemoryMount[]): string {
  return mounts
    .map(({ source, target, fsType, options }) =>
      [source, target, fsType, options.length === 0 ? 'defaults' : options.join(',')].map(escapeField).join(' '),
    )
    .map((fields) => `${fields} 0 0\n`)
    .join('');
}

/** Opens a file without a name that has a content; disposing of it closes it. `undefined` where the kernel has no such files. */
export function openUnnamedFile(content: string): (Disposable & { readonly descriptor: number }) | undefined {
  for (const directory of DIRECTORIES) {
    const descriptor = openOrUndefined(directory);
    if (descriptor === undefined) continue;
    const file = { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
    try {
      writeSync(descriptor, content);
      return file;
    } catch {
      file[Symbol.dispose]();
    }
  }
  return undefined;
}

function openOrUndefined(directory: string): number | undefined {
  try {
    return openSync(directory, O_TMPFILE | constants.O_RDWR, 0o600);
  } catch {
    return undefined;
  }
}

/** White space, backslash and `#` separate fields or begin comments; they are written as octal numbers. */
function escapeField(text: string): string {
  return text.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
