import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { socketPath } from './config/standard-places.ts';
import { makeAgentFolders, startAgent } from './test-support/agent-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeManifest(folder: string): Promise<void> {
  const containers = [{ name: 'app', image: 'registry.example/app:1' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  await writeFile(join(folder, 'web.json'), JSON.stringify(pod));
}

async function setVerbosity(root: string, verbosity: number): Promise<string> {
  const call = request({ socketPath: socketPath(root), path: '/debug/flags/v', method: 'PUT' });
  call.end(String(verbosity));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text.trim();
}

it('has the JSON lines of Kubernetes, and debugging lines once the verbosity is raised', async () => {
  const folders = await makeAgentFolders(folder);
  await using agent = startAgent(folders, '--fake-runtime', '--logging-format=json');
  const lines = (): readonly Record<string, unknown>[] =>
    agent
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await eventually('the start', async () => lines().some(({ msg }) => msg === 'rxlet is running'), agent.output);
  expect(lines().every(({ ts, v }) => typeof ts === 'number' && v === 0)).toBe(true);
  expect(await setVerbosity(folders.root, 4)).toBe('successfully set klog.logging.verbosity to 4');
  await writeManifest(folders.manifests);
  await eventually('a debugging line', async () => lines().some(({ v }) => v === 4), agent.output);
});

it('has debugging lines of the loggers that --vmodule names, and of no others', async () => {
  const folders = await makeAgentFolders(folder);
  await using agent = startAgent(folders, '--fake-runtime', '--vmodule=run*=4');
  await writeManifest(folders.manifests);
  await eventually('the start', async () => agent.output().includes('pod is Running'), agent.output);
  expect(agent.output()).toMatch(/^I\d{4} \S+ +\d+ runtime:1\] "runPodSandbox"/m);
  expect(agent.output()).not.toContain('image-management:1]');
});
