import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { errorMessage } from '@rxlet/component-base';

const EXTENSION = '.jsonl.gz';

/** Folder of the repository's vectors. */
export const defaultDirectory: string = fileURLToPath(new URL('vectors', import.meta.url));

/** Vectors that cannot be read. The message names the file or folder. */
export class VectorFileError extends Error {
  override readonly name = 'VectorFileError';
}

/** One line of a file: a vector, or its error. */
export interface VectorLine {
  /** Counts from 1. */
  readonly line: number;
  readonly vector?: unknown;
  readonly error?: string;
}

/** Returns the names of the vector files in a folder, without `.jsonl.gz`, sorted. @throws VectorFileError */
export function listVectorFiles(directory: string): string[] {
  let entries;
  try {
    entries = readdirSync(directory);
  } catch (error) {
    throw new VectorFileError(`cannot read the folder of vectors: ${errorMessage(error)}`);
  }
  const names = entries.filter((entry) => entry.endsWith(EXTENSION)).map((entry) => entry.slice(0, -EXTENSION.length));
  if (names.length === 0) throw new VectorFileError(`no files *${EXTENSION} in ${directory}`);
  return names.sort();
}

/** Reads the vectors of a file, in order. A line that is not JSON does not stop the reading. @throws VectorFileError */
export function readVectorFile(directory: string, name: string): VectorLine[] {
  const path = join(directory, `${name}${EXTENSION}`);
  let text;
  try {
    text = gunzipSync(readFileSync(path)).toString('utf8');
  } catch (error) {
    throw new VectorFileError(`cannot read ${path}: ${errorMessage(error)}`);
  }
  return text
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => {
      try {
        return { line, vector: JSON.parse(content) as unknown };
      } catch (error) {
        return { line, error: `${path}, line ${String(line)} is not JSON: ${errorMessage(error)}` };
      }
    });
}
