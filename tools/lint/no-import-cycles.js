import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/**
 * Reports an import that leads back to its own file, through any number of files of the package. Imports of types count: a cycle of them is harmless at run
 * time, but its files can only be read, moved and replaced together.
 */

/** Relative imports of a file by path, valid as long as the file does not change. */
const cache = new Map();

/** @param {string} path */
function relativeImports(path) {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (modified === undefined) return [];
  const cached = cache.get(path);
  if (cached?.modified === modified) return cached.imports;
  const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'), true, true);
  const imports = importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => join(dirname(path), fileName));
  cache.set(path, { modified, imports });
  return imports;
}

/** Returns the files on a way from `start` to `goal`, both included. */
function findWay(start, goal) {
  const cameFrom = new Map([[start, undefined]]);
  for (const path of cameFrom.keys()) {
    if (path === goal) {
      const way = [];
      for (let step = path; step !== undefined; step = cameFrom.get(step)) way.unshift(step);
      return way;
    }
    for (const next of relativeImports(path)) if (!cameFrom.has(next)) cameFrom.set(next, path);
  }
  return undefined;
}

/** @type {import('eslint').Rule.RuleModule} */
export const noImportCycles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { cycle: 'This import closes a cycle: {{way}}. Move what both sides need into a file of its own.' },
  },
  create(context) {
    const file = context.physicalFilename;
    const check = ({ source }) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const way = findWay(join(dirname(file), source.value), file);
      if (way === undefined) return;
      const names = [file, ...way].map((path) => relative(dirname(file), path));
      context.report({ node: source, messageId: 'cycle', data: { way: names.join(' → ') } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};
