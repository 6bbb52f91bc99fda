import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkspacePackages } from '../workspace/workspace-packages.ts';
import { markdownFiles } from './markdown-files.ts';
import { headingAnchors, relativeLinks } from './markdown-links.ts';

const root = join(import.meta.dirname, '../..');

/** Returns the links of a file that lead to no file or heading, with the reason. */
function brokenLinks(file: string): string[] {
  const markdown = readFileSync(file, 'utf8');
  return relativeLinks(markdown).flatMap(({ path, anchor, line }) => {
    const target = path === '' ? file : join(dirname(file), decodeURI(path));
    const at = `line ${String(line)}: ${path}${anchor === undefined ? '' : `#${anchor}`}`;
    if (!existsSync(target)) return [`${at} leads to no file`];
    const hasHeading =
      anchor === undefined || !target.endsWith('.md') || headingAnchors(readFileSync(target, 'utf8')).has(anchor);
    return hasHeading ? [] : [`${at} leads to no heading`];
  });
}

describe('every relative link leads to a file and a heading', () => {
  it.each(markdownFiles(root).map((file) => relative(root, file)))('in %s', (name) => {
    expect(brokenLinks(join(root, name))).toEqual([]);
  });
});

it('the README of the workspace lists every package and app', () => {
  const links = new Set(relativeLinks(readFileSync(join(root, 'README.md'), 'utf8')).map(({ path }) => path));
  const listed = readWorkspacePackages().filter(({ folder }) => !folder.startsWith('tools/'));
  expect(listed.map(({ folder }) => folder).filter((folder) => !links.has(folder))).toEqual([]);
});

describe('relativeLinks', () => {
  it.each<[string, string[]]>([
    ['[a](b.md) and ![c](d/e.png)', ['b.md', 'd/e.png']],
    ['[a](b.md#part), [c](#part)', ['b.md', '']],
    ['[`code`](src/a.ts)', ['src/a.ts']],
    ['[a](https://example.com/b) <mailto:a@example.com>', []],
    ['`[a](b.md)`', []],
    ['```md\n[a](b.md)\n```', []],
  ])('reads %j', (markdown, paths) => {
    expect(relativeLinks(markdown).map(({ path }) => path)).toEqual(paths);
  });
});

describe('headingAnchors', () => {
  it('derives them as GitHub does', () => {
    const markdown = "# A pod's life\n## `createAgent(ports)`\n## See [x](y.md)\n```\n# no heading\n```\n## See x\n";
    expect([...headingAnchors(markdown)]).toEqual(['a-pods-life', 'createagentports', 'see-x', 'see-x-1']);
  });
});
