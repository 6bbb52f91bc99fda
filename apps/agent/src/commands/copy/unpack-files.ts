import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';

/** Where the files of an archive go. */
export interface UnpackTarget {
  /** Path in the pod, which the names in the archive begin with. */
  readonly source: string;
  /** Path of the file, or of the directory, on this machine. */
  readonly destination: string;
  readonly warn: (message: string) => void;
}

/**
 * Writes the files of a tar archive from a pod. The archive is not trusted: a name that leads out of the destination is skipped, and so are links, both with a warning,
 * and a name elsewhere than below `source` is an error.
 */
export async function unpackFiles(archive: Readable, { source, destination, warn }: UnpackTarget): Promise<void> {
  const prefix = archivePrefix(source);
  const files = extract();
  const fed = pipeline(archive, files as unknown as NodeJS.WritableStream);
  // Reported by the iteration, too.
  fed.catch(() => undefined);
  for await (const entry of files) {
    const { header } = entry;
    const path = targetPath(header, prefix, destination);
    const content = entry as unknown as Readable;
    if (path === undefined) {
      warn(`warning: file ${JSON.stringify(header.name)} is outside target destination, skipping`);
      content.resume();
    } else if (header.type === 'directory') {
      await mkdir(path, { recursive: true });
      content.resume();
    } else if (header.type === 'file' || header.type === 'contiguous-file') {
      await mkdir(dirname(path), { recursive: true });
      await pipeline(content, createWriteStream(path));
    } else {
      const target = header.linkname ? ` -> "${header.linkname}"` : '';
      warn(`warning: skipping ${header.type}: "${path}"${target}`);
      content.resume();
    }
  }
  await fed;
}

/** Returns the name of `source` in an archive: without leading slashes and steps out of the root, which tar removes. */
export function archivePrefix(source: string): string {
  const clean = posix.normalize(source.replace(/^\/+/, '')).replace(/\/+$/, '');
  const stripped = clean.replace(/^(?:\.\.(?:\/|$))+/, '').replace(/^\/+/, '');
  return stripped === '.' ? '' : stripped;
}

/** Returns the path of an entry on this machine; `undefined` for one that is outside. Throws for one that is not below the source. */
function targetPath({ name }: Header, prefix: string, destination: string): string | undefined {
  const clean = name.replace(/^\.\//, '');
  const isBelow = clean === prefix || clean === `${prefix}/` || clean.startsWith(prefix === '' ? '' : `${prefix}/`);
  if (!isBelow || isAbsolute(clean)) throw new Error('tar contents corrupted');
  const path = join(destination, clean.slice(prefix.length));
  const way = relative(destination, path);
  return way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : path;
}
