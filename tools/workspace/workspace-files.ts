import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const workspaceRoot: string = join(import.meta.dirname, '../..');

/** Reads files of the workspace by their paths relative to its root. A generator of nx has changes in memory that are not on disk yet. */
export interface WorkspaceFiles {
  exists(path: string): boolean;
  isFile(path: string): boolean;
  /** Names in a folder; none when the folder does not exist. */
  children(folder: string): string[];
  /** Content of a file; `null` when it does not exist. */
  read(path: string, encoding: 'utf8'): string | null;
}

/** The workspace on disk. */
export const filesOnDisk: WorkspaceFiles = {
  exists: (path) => existsSync(join(workspaceRoot, path)),
  isFile: (path) => statSync(join(workspaceRoot, path), { throwIfNoEntry: false })?.isFile() === true,
  children: (folder) => (existsSync(join(workspaceRoot, folder)) ? readdirSync(join(workspaceRoot, folder)) : []),
  read: (path) => (existsSync(join(workspaceRoot, path)) ? readFileSync(join(workspaceRoot, path), 'utf8') : null),
};

/** Returns the content of a JSON file. @throws Error when it does not exist or is not JSON */
export function readJson(files: WorkspaceFiles, path: string): object {
  const content = files.read(path, 'utf8');
  if (content === null) throw new Error(`cannot read ${path}: it does not exist`);
  return JSON.parse(content) as object;
}
