import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, eventually, makeAgentFolders, runRxlet, startAgent } from './test-support/agent-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-bad-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an agent that cannot start says why in one line, and ends', () => {
  const refuse = async (args: string[], ...words: string[]): Promise<void> => {
    const { stdout, stderr, exitCode } = await runRxlet(...args, '--root-dir', join(folder, 'root'));
    expect(exitCode, stderr).toBe(1);
    expect(stdout).toBe('');
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('(')).length,
      stderr,
    ).toBe(1);
    for (const word of words) expect(stderr).toContain(word);
  };

  it.each([
    ['an unknown flag', ['--fake-runtime', '--frobnicate'], ["unknown option '--frobnicate'"]],
    ['an unknown command', ['frobnicate'], ['there is no command "frobnicate"']],
    ['a verbosity that is no number', ['--fake-runtime', '--v', 'loud'], ['loud', 'whole number']],
    [
      'two runtimes',
      ['--fake-runtime', '--container-runtime-endpoint', 'unix:///a'],
      ['--fake-runtime excludes --container-runtime-endpoint'],
    ],
    [
      'an endpoint that is no unix socket',
      ['--container-runtime-endpoint', 'tcp://127.0.0.1:1'],
      ['tcp://127.0.0.1:1', 'only unix sockets'],
    ],
    [
      'a configuration that does not exist',
      ['--config', '/nonexistent/kubelet.yaml'],
      ['/nonexistent/kubelet.yaml', 'no such file'],
    ],
    ['an empty node name', ['--fake-runtime', '--hostname-override', ' '], ['--hostname-override']],
  ])('%s', (_title, args, words) => refuse(args, ...words));

  it('a socket that is missing', () =>
    refuse(
      ['--container-runtime-endpoint', `unix://${folder}/missing.sock`],
      `${folder}/missing.sock`,
      'does not exist',
      '--container-runtime-endpoint',
    ));

  it('an image service that is missing', async () => {
    const args = [
      '--container-runtime-endpoint',
      `unix://${folder}/missing.sock`,
      '--image-service-endpoint',
      `unix://${folder}/images.sock`,
    ];
    await refuse(args, 'missing.sock');
  });

  it('a file that is no socket', async () => {
    await writeFile(join(folder, 'plain'), '');
    await refuse(['--container-runtime-endpoint', `unix://${folder}/plain`], 'a regular file, not a socket');
  });

  it('a socket that is no container runtime', async () => {
    const path = join(folder, 'garbage.sock');
    const server = createServer((socket) => socket.on('error', () => undefined).write('SSH-2.0-OpenSSH\r\n')).listen(
      path,
    );
    await refuse(['--container-runtime-endpoint', `unix://${path}`], path, 'does not speak gRPC');
    server.close();
  });

  it('neither runtime nor --fake-runtime', () =>
    refuse([], '--container-runtime-endpoint', '--fake-runtime', '/run/containerd/containerd.sock'));

  it('an unknown field of the configuration', async () => {
    const config = join(folder, 'kubelet.yaml');
    await writeFile(config, 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPodz: 3\n');
    const { stderr, exitCode } = await runRxlet(
      '--fake-runtime',
      '--config',
      config,
      '--root-dir',
      join(folder, 'root'),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(config);
    expect(stderr).toContain('maxPodz');
  });

  it('a second agent on the same folder', async () => {
    const folders = await makeAgentFolders(join(folder, 'twice'));
    await using first = startAgent(folders, '--fake-runtime');
    await eventually('the first runs', async () => first.output().includes('rxlet is running'), first.output);
    await using second = startAgent(folders, '--fake-runtime');
    await eventually(
      'the second refuses',
      async () => second.output().includes('is served by another process'),
      second.output,
    );
  });
});

describe('an agent that runs copes with what it finds', { timeout: 60_000 }, () => {
  const podYaml = (name: string, script = 'sleep infinity'): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script] }],
      },
    });
  const phases = async (agent: AgentProcess): Promise<Record<string, string | undefined>> =>
    Object.fromEntries((await agent.pods()).map(({ metadata, status }) => [metadata?.name ?? '', status?.phase]));

  it('bad manifests: each is reported once, the good ones run', async () => {
    const folders = await makeAgentFolders(join(folder, 'manifests'));
    const bad: Record<string, [content: string, ...words: string[]]> = {
      'no-yaml.yaml': ['a: [b', 'YAML'],
      'deployment.yaml': ['apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n', 'Deployment', 'Pod'],
      'two.yaml': ['apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n', 'document'],
      'nameless.yaml': ['apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: b}]}\n', 'name'],
      'wrong-type.yaml': [
        'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, image: b, ports: [{containerPort: http}]}]}\n',
        'spec.containers[0].ports[0].containerPort',
      ],
      'empty.yaml': ['', 'empty'],
      'huge.yaml': [`# ${'x'.repeat(10 * 1024 * 1024 + 1)}\n${podYaml('huge')}`, '10'],
    };
    for (const [file, [content]] of Object.entries(bad)) await writeFile(join(folders.manifests, file), content);
    await writeFile(join(folders.manifests, '.hidden.yaml'), podYaml('hidden'));
    await writeFile(join(folders.manifests, 'good.yaml'), podYaml('good'));
    await using agent = startAgent(folders, '--fake-runtime');
    await eventually('the good pod runs', async () => (await phases(agent))['good-node1'] === 'Running', agent.output);
    for (const [file, [, ...words]] of Object.entries(bad)) {
      const lines = agent
        .output()
        .split('\n')
        .filter((line) => line.includes(file));
      expect(lines, `${file}\n${agent.output()}`).toHaveLength(1);
      for (const word of words) expect(lines[0]).toContain(word);
    }
    expect(Object.keys(await phases(agent))).toEqual(['good-node1']);

    // Repaired, a file takes its place; broken, it keeps what runs.
    await writeFile(join(folders.manifests, 'no-yaml.yaml'), podYaml('repaired'));
    await eventually(
      'the repaired pod runs',
      async () => (await phases(agent))['repaired-node1'] === 'Running',
      agent.output,
    );
    await writeFile(join(folders.manifests, 'good.yaml'), 'apiVersion: [');
    await eventually(
      'the broken file is reported',
      async () =>
        agent
          .output()
          .split('\n')
          .some((line) => line.includes('good.yaml')),
      agent.output,
    );
    expect(await phases(agent)).toEqual({ 'good-node1': 'Running', 'repaired-node1': 'Running' });
  });

  it('a folder that is not there yet, disappears, and comes back: nothing that ran is lost', async () => {
    const folders = await makeAgentFolders(join(folder, 'vanishing'));
    await rm(folders.manifests, { recursive: true });
    await using agent = startAgent(folders, '--fake-runtime');
    const reports = (): number =>
      agent
        .output()
        .split('\n')
        .filter((line) => line.includes(`${folders.manifests} does not exist`)).length;
    await eventually('the missing folder is reported', async () => reports() === 1, agent.output);
    await mkdir(folders.manifests);
    await writeFile(join(folders.manifests, 'a.yaml'), podYaml('a'));
    await eventually('the pod runs', async () => (await phases(agent))['a-node1'] === 'Running', agent.output);
    const [before] = await agent.pods();
    await rename(folders.manifests, `${folders.manifests}.away`);
    await eventually('the disappearance is reported', async () => reports() === 2, agent.output);
    expect(await phases(agent)).toEqual({ 'a-node1': 'Running' });
    await writeFile(join(`${folders.manifests}.away`, 'b.yaml'), podYaml('b'));
    await rename(`${folders.manifests}.away`, folders.manifests);
    await eventually('what is new runs', async () => (await phases(agent))['b-node1'] === 'Running', agent.output);
    const after = (await agent.pods()).find(({ metadata }) => metadata?.name === 'a-node1');
    expect(after?.status?.containerStatuses?.[0]?.containerID).toBe(
      before?.status?.containerStatuses?.[0]?.containerID,
    );
  });
});
