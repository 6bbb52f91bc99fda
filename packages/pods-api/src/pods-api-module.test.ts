import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ModuleParts } from '@rxlet/agent-api';
import { createModuleContext } from '@rxlet/agent-api/testing';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createNodeFiles } from '@rxlet/node-files';
import { NEVER } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podsApi } from './pods-api-module.ts';

let folder: string;
const logger = recordingLogger();

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/pods-api-`);
});
afterEach(() => rm(folder, { recursive: true }));

function setUp(rootDirectory: string): ModuleParts {
  return podsApi().setup(
    createModuleContext({
      clock: createVirtualClock(),
      logger,
      files: createNodeFiles({ roots: [rootDirectory] }),
      node: { name: 'n1', rootDirectory, podLogsDirectory: '/logs', ips: [] },
      core: { pods: { list: () => [], get: () => undefined, changes$: NEVER } },
    }),
  )!;
}

describe('the module podsApi', () => {
  it("serves the kubelet's socket in a directory of its own", async () => {
    const parts = setUp(folder);
    await parts.start?.(new AbortController().signal);
    expect((await stat(`${folder}/pods-api`)).mode & 0o777).toBe(0o750);
    expect((await stat(`${folder}/pods-api/pods-api.sock`)).isSocket()).toBe(true);
    await parts[Symbol.asyncDispose]?.();
    await expect(stat(`${folder}/pods-api/pods-api.sock`)).rejects.toThrow('ENOENT');
  });

  it('lets the agent start when it cannot listen', async () => {
    const root = `${folder}/${'long'.repeat(30)}`;
    await mkdir(root);
    const parts = setUp(root);
    await parts.start?.(new AbortController().signal);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cannot serve the pods API']);
    await parts[Symbol.asyncDispose]?.();
  });

  it('lets the agent start when its directory cannot be created', async () => {
    await writeFile(`${folder}/pods-api`, '');
    const parts = setUp(folder);
    await parts.start?.(new AbortController().signal);
    expect(logger.lines.map(({ message }) => message)).toContain('cannot serve the pods API');
    await parts[Symbol.asyncDispose]?.();
  });
});
