import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '@rxlet/test-containerd/eventually';
import { type AgentProcess, makeAgentFolders, runRxlet, startAgent } from './test-support/agent-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-bad-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an agent that cannot start reports why in one line, and ends', () => {
  const reject = async (expectedExitCode: 1 | 2, args: string[], ...words: string[]): Promise<void> => {
    const { stdout, stderr, exitCode } = await runRxlet(...args, '--root-dir', join(folder, 'root'));
    expect(exitCode, stderr).toBe(expectedExitCode);
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

  it.each<[title: string, exitCode: 1 | 2, args: string[], words: string[]]>([
    ['an unknown flag', 2, ['--fake-runtime', '--frobnicate'], ['unknown flag: --frobnicate']],
    ['an unknown command', 2, ['frobnicate'], ['unknown command frobnicate']],
    ['a verbosity that is no number', 2, ['--fake-runtime', '--v', 'loud'], ['loud', 'whole number']],
    [
      'two runtimes',
      2,
      ['--fake-runtime', '--container-runtime-endpoint', 'unix:///a'],
      ['--fake-runtime excludes --container-runtime-endpoint'],
    ],
    [
      'an endpoint that is no unix socket',
      1,
      ['--container-runtime-endpoint', 'tcp://127.0.0.1:1'],
      ['tcp://127.0.0.1:1', 'only unix sockets'],
    ],
    [
      'a configuration that does not exist',
      1,
      ['--config', '/nonexistent/kubelet.yaml'],
      ['--config', '/nonexistent/kubelet.yaml', 'no such file'],
    ],
    ['an empty node name', 2, ['--fake-runtime', '--hostname-override', ' '], ['--hostname-override']],
  ])('%s', (_title, exitCode, args, words) => reject(exitCode, args, ...words));

  it('a socket that is missing', () =>
    reject(
      1,
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
    await reject(1, args, 'missing.sock');
  });

  it('a file that is no socket', async () => {
    await writeFile(join(folder, 'plain'), '');
    await reject(1, ['--container-runtime-endpoint', `unix://${folder}/plain`], 'a regular file, not a socket');
  });

  it('a socket that is no container runtime', async () => {
    const path = join(folder, 'garbage.sock');
    const server = createServer((socket) => socket.on('error', () => undefined).write('SSH-2.0-OpenSSH\r\n')).listen(
      path,
    );
    await reject(1, ['--container-runtime-endpoint', `unix://${path}`], path, 'does not speak gRPC');
    server.close();
  });

  it.runIf(process.getuid?.() === 0)('a root directory of another user, into which Docker writes nothing', async () => {
    const root = join(folder, 'of-another-user');
    await mkdir(root);
    await chown(root, 12_345, 12_345);
    const { stderr, exitCode } = await runRxlet('--docker', '--docker-endpoint=unix:///none', '--root-dir', root);
    expect(stderr).toMatch(/^rxlet: cannot use the root directory ".*": it belongs to another user \(uid 12345\)/);
    expect(exitCode).toBe(1);
    expect(await readdir(root)).toEqual([]);
  });

  it('neither runtime nor --fake-runtime', () =>
    reject(1, [], '--container-runtime-endpoint', '--fake-runtime', '/run/containerd/containerd.sock'));

  it('a configuration that the kubelet would reject', async () => {
    const config = join(folder, 'kubelet.yaml');
    await writeFile(config, 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: -3\n');
    await reject(1, ['--fake-runtime', '--config', config], 'invalid configuration: maxPods -3 must be at least 0');
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
    const listed = await agent.command('get', 'pods');
    expect(listed.stdout).toMatch(/ good-node1 .* Running,InvalidManifest /);
    expect(listed.stdout).toMatch(/ repaired-node1 .* Running /);
    const described = await agent.command('describe', 'pod', 'good');
    expect(described.stdout).toMatch(/^Manifest Problem: .*good\.yaml/m);
    expect(await phases(agent)).toEqual({ 'good-node1': 'Running', 'repaired-node1': 'Running' });
  });

  it('a folder that is not there yet, disappears, and comes back: it has no pods meanwhile', async () => {
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
    await rename(folders.manifests, `${folders.manifests}.away`);
    await eventually('the disappearance is reported', async () => reports() === 2, agent.output);
    await eventually('its pod ends', async () => (await agent.pods()).length === 0, agent.output);
    await writeFile(join(`${folders.manifests}.away`, 'b.yaml'), podYaml('b'));
    await rename(`${folders.manifests}.away`, folders.manifests);
    const allRun = async (): Promise<boolean> => {
      const { 'a-node1': a, 'b-node1': b } = await phases(agent);
      return a === 'Running' && b === 'Running';
    };
    await eventually('all its pods run', allRun, agent.output);
  });
});
