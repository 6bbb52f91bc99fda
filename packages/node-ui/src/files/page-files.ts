import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

/** A file of the page as it is sent. */
export interface PageFile {
  readonly contentType: string;
  /** Whether the name changes with the content, so that browsers may keep it. */
  readonly isImmutable: boolean;
  readonly content: Uint8Array;
  /** The content, compressed by gzip; absent for what does not get smaller. */
  readonly compressed?: Uint8Array;
}

/** The files of the page, by their path below its address; `index.html` for the page itself. */
export interface PageFiles {
  /** Returns a file; `undefined` when the page has no such file. */
  find(path: string): Promise<PageFile | undefined>;
}

/** The page has not been built. */
export class PageNotBuiltError extends Error {
  override readonly name = 'PageNotBuiltError';
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Opens the files of a folder. Only paths that exist at this time are ever read, so that no request leaves the folder. A file is read and compressed once, when it is
 * asked for.
 *
 * @throws PageNotBuiltError when the folder has no `index.html`
 */
export async function openPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(folder.length + 1),
        join(entry.parentPath, entry.name),
      ]),
  );
  if (!paths.has('index.html'))
    throw new PageNotBuiltError(`the page is not built in ${folder}: run "npm run build" in the sources of rxlet`);
  const read = new Map<string, Promise<PageFile>>();
  return {
    async find(path) {
      const file = paths.get(path);
      if (file === undefined) return undefined;
      const reading = read.get(path) ?? readPageFile(path, file);
      read.set(path, reading);
      return reading;
    },
  };
}

async function readPageFile(path: string, file: string): Promise<PageFile> {
  const content = await readFile(file);
  const compressed = await gzip(content, { level: 9 });
  return {
    contentType: CONTENT_TYPES[path.split('.').at(-1)!] ?? 'application/octet-stream',
    isImmutable: path.startsWith('assets/'),
    content,
    ...(compressed.length < content.length && { compressed }),
  };
}
