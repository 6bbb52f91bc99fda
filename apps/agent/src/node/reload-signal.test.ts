import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from '../test-support/agent-process.ts';

let folder: string;
let folders: AgentFolders;
let agent: AgentProcess;

const START = {
  maxPods: 1,
  evictionHard: { 'memory.available': '1' },
  imageGCHighThresholdPercent: 85,
  maxParallelImagePulls: 1,
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-reload-'));
  folders = await makeAgentFolders(folder, START);
  agent = startAgent(folders, '--fake-runtime');
  await eventually('the start', async () => agent.output().includes('rxlet is running'), agent.output);
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Changes fields of the configuration, and sends SIGHUP. @returns the output since then, once it has `text` */
async function change(fields: object, text: string): Promise<string> {
  await makeAgentFolders(folder, { ...START, ...fields });
  return reload(text);
}

async function reload(text: string): Promise<string> {
  const before = agent.output().length;
  agent.send('SIGHUP');
  const output = (): string => agent.output().slice(before);
  await eventually(text, async () => output().includes(text), agent.output);
  return output();
}

async function addPod(name: string): Promise<void> {
  const containers = [{ name: 'app', image: 'registry.example/app:1' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
  await writeFile(join(folders.manifests, `${name}.json`), JSON.stringify(pod));
}

const phaseOf = async (name: string): Promise<string | undefined> =>
  (await agent.pods()).find(({ metadata }) => metadata?.name === `${name}-node1`)?.status?.phase;

describe('SIGHUP', () => {
  it('applies a limit of pods to pods that come later', async () => {
    await addPod('one');
    await eventually('one runs', async () => (await phaseOf('one')) === 'Running', agent.output);
    await addPod('two');
    await eventually('two is rejected', async () => (await phaseOf('two')) === 'Failed', agent.output);
    await change({ maxPods: 3 }, 'applied="maxPods"');
    await addPod('three');
    await eventually('three runs', async () => (await phaseOf('three')) === 'Running', agent.output);
  });

  it('applies thresholds of evictions', async () => {
    await change({ evictionHard: { 'memory.available': '99%' } }, 'applied="evictionHard"');
    await eventually(
      'the node is under pressure',
      async () => (await agent.command('debug', 'state')).stdout.includes('MemoryPressure'),
      agent.output,
    );
  });

  it('applies the collection of images and the verbosity, and names what needs a restart', async () => {
    const fields = {
      imageGCHighThresholdPercent: 90,
      logging: { verbosity: 4 },
      serializeImagePulls: false,
      maxParallelImagePulls: 3,
    };
    const output = await change(fields, 'need a restart');
    expect(output).toContain('applied="imageGCHighThresholdPercent, logging.verbosity"');
    expect(output).toContain('fields="serializeImagePulls, maxParallelImagePulls"');
    await addPod('one');
    await eventually('a debugging line', async () => agent.output().includes('"runPodSandbox"'), agent.output);
  });

  it('is suggested when the file changes', async () => {
    const before = agent.output().length;
    await makeAgentFolders(folder, { ...START, maxPods: 7, clusterDomain: 'example' });
    const output = (): string => agent.output().slice(before);
    await eventually('the report', async () => output().includes('takes effect by SIGHUP'), agent.output);
    expect(output()).toContain('bySighup="maxPods" byRestart="clusterDomain, maxPods"');
    expect(output()).not.toContain('was read again');
  });

  it('leaves everything as it is for a configuration that cannot be used', async () => {
    const output = await change({ maxPods: -1, logging: { verbosity: 4 } }, 'cannot apply the changed configuration');
    expect(output).toContain('maxPods');
    expect(await change({}, 'the configuration was read again')).toContain('applied=""');
    expect(agent.output()).not.toContain('rxlet is stopping');
  });
});
