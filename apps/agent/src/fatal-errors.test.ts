import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '@rxlet/test-containerd/eventually';
import { socketPath } from './config/standard-places.ts';
import { makeAgentFolders, startAgent } from './test-support/agent-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-fatal-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['an exception that no code handles', `throw new Error('broken module')`],
  ['a rejection that no code handles', `void Promise.reject(new Error('broken module'))`],
])('logs %s with its stack, stops in order and exits with code 70', async (_, failure) => {
  const preload = join(folder, 'preload.mjs');
  await writeFile(preload, `process.on('SIGUSR2', () => { ${failure}; });`);
  vi.stubEnv('NODE_OPTIONS', `--import=${preload}`);
  const folders = await makeAgentFolders(folder);
  await using agent = startAgent(folders, '--fake-runtime');
  await eventually('the start of the agent', async () => agent.output().includes('rxlet is running'));
  expect(await agent.end('SIGUSR2')).toBe(70);
  // Only an orderly stop removes the socket.
  expect(existsSync(socketPath(folders.root))).toBe(false);
  const fatal = agent.output().slice(agent.output().search(/^E/m));
  expect(fatal).toMatch(
    /^E\d{4} \S+ +\d+ rxlet:1\] "unhandled error, stopping with exit code 70" err="broken module" stack=</,
  );
  expect(fatal).toContain('preload.mjs');
});
