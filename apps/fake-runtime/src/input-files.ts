import { readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import { type FakeRuntimeOptions, ImageCatalogueError, parseImageCatalogue } from '@rxlet/fake-cri';
import { BehaviourScriptError, parseBehaviourScript } from '@rxlet/fake-cri/scripts';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';

/** A file of the command line cannot be used; the message names it, and the line and field that are wrong. */
export class InputFileError extends Error {
  override readonly name = 'InputFileError';
}

/** Reads the options in the files of `--images` and `--script`. Rejects with {@link InputFileError}. */
export async function readInputFiles(files: {
  readonly images: string | undefined;
  readonly script: string | undefined;
}): Promise<Pick<FakeRuntimeOptions, 'images' | 'missingImages' | 'imageDiskBytes' | 'scripts'>> {
  return {
    ...(files.images === undefined ? {} : await readInput(files.images, parseImageCatalogue)),
    ...(files.script === undefined ? {} : { scripts: await readInput(files.script, parseScripts) }),
  };
}

async function readInput<T>(path: string, parse: (text: string) => T): Promise<T> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isExpected =
      error instanceof ImageCatalogueError ||
      error instanceof BehaviourScriptError ||
      error instanceof InputFileError ||
      code !== undefined;
    if (!isExpected) throw error;
    throw new InputFileError(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Reads a mapping from image references to behaviour scripts. */
function parseScripts(text: string): NonNullable<FakeRuntimeOptions['scripts']> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new InputFileError(`line ${String(lines.linePos(error.pos[0]).line)}: ${error.message}`);
  }
  if (document.contents === null) return {};
  if (!isMap(document.contents)) throw new InputFileError('line 1: expected a mapping from images to scripts');
  const scripts = document.contents.items.map(({ key, value }) => {
    if (!isScalar(key) || typeof key.value !== 'string') throw new InputFileError('an image is not a string');
    const [start, end] = isNode(value) && value.range ? value.range : [0, 0];
    // The script alone, at the line and column where it is in the file, so that errors have the line of the file.
    const { line, col } = lines.linePos(start);
    const own = '\n'.repeat(line - 1) + ' '.repeat(col - 1) + text.slice(start, end);
    return [key.value, parseBehaviourScript(own)] as const;
  });
  return Object.fromEntries(scripts);
}
