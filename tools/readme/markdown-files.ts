import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of generated or third-party documents. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'fixtures', 'api']);

/** Returns the paths of the Markdown files below a folder, sorted. Hidden folders, generated ones and those of installed packages are left out. */
export function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !SKIPPED.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
}
