import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceRoot } from '../../workspace/workspace-files.ts';
import { readManifest } from '../../workspace/workspace-packages.ts';
import { NODE_VERSION } from './node-binary.ts';
import { AGENT, DOCKER_SHIM } from './programs.ts';

it('packages the version of Node.js that the workspace uses', () => {
  expect(readManifest(workspaceRoot).devDependencies?.['node']).toBe(NODE_VERSION);
});

describe.each([AGENT, DOCKER_SHIM])('$command', ({ folder, command, nodeFlags }) => {
  it('has the flags of Node.js that its launcher gives', () => {
    const launcher = readFileSync(join(workspaceRoot, folder, 'bin', command), 'utf8');
    const given = [...launcher.matchAll(/^\w+='?(--[\w=-]+)'?$/gm)].map(([, flag]) => flag);
    expect(nodeFlags).toEqual(given);
  });
});
