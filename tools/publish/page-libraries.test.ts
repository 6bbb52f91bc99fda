import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { pageLibraries } from './page-libraries.ts';

it('lists the libraries of a page with their dependencies', () => {
  const names = pageLibraries(join(workspaceRoot, 'packages/node-ui')).map((folder) => basename(folder));
  expect(names).toEqual(expect.arrayContaining(['lit', 'lit-html', 'reactive-element', 'uplot', 'xterm']));
  expect(names).not.toContain('vitest');
});
