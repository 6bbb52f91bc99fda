import type { DirectoryHandle } from '@rxlet/node-files';
import { escapeHtml } from '../../routing/redirect.ts';

/** Returns a page with links to the entries of a directory, in the form of Go's file server. */
export async function listingPage(directory: DirectoryHandle): Promise<string> {
  const names = [...(await directory.list())].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines: string[] = [];
  for (const name of names) {
    const isDirectory = (await directory.stat(name))?.kind === 'directory';
    const shown = isDirectory ? `${name}/` : name;
    lines.push(`<a href="${escapeHtml(encodePath(shown))}">${escapeHtml(shown)}</a>\n`);
  }
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
}

/** Escapes a relative path for a URL; a colon must not make it one with a scheme. */
function encodePath(path: string): string {
  const encoded = encodeURIComponent(path)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:24|26|2B|2C|2F|3A|3D|40)/g, decodeURIComponent);
  return encoded.includes(':') ? `./${encoded}` : encoded;
}
