import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createDockerCri, type DockerCri } from '@rxlet/docker-cri';
import {
  DOCKER_PAUSE_REFERENCE,
  dockerdUnavailable,
  type PrivateDockerd,
  startPrivateDockerd,
} from '@rxlet/test-containerd/private-dockerd';
import { registryUnavailable, startPrivateRegistry } from '@rxlet/test-containerd/private-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { type AgentUnderTest, agentUnderTest, shell } from './test-support/containerd-node.ts';
import { expectPullProgress } from './test-support/pull-progress.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');
const unavailable = dockerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('rxlet --docker', () => {
  let folder: string;
  let dockerd: PrivateDockerd;
  /** Reads Docker's containers beside the agent; not started, so that it writes no logs. */
  let reader: DockerCri;
  let agents = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-e2e-'));
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    const network = {
      notReadyReason: async () => undefined,
      setUp: () => Promise.reject(new Error('the test runs no sandboxes')),
      tearDown: async () => undefined,
      // The agent's own addresses are in its directory.
      addresses: async () => ['192.0.2.1'],
      connectedSandboxes: async () => [],
    };
    reader = createDockerCri(
      { clock: systemClock, random: systemRandom, network },
      { socketPath: dockerd.socketPath, rootDirectory: join(folder, 'reader') },
    );
  });
  afterAll(async () => {
    await reader?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<AgentUnderTest> => {
    const folders = await makeAgentFolders(join(folder, `agent-${String(++agents)}`));
    const flags = {
      'docker-endpoint': `unix://${dockerd.socketPath}`,
      'docker-sandbox-image': DOCKER_PAUSE_REFERENCE,
      'cni-conf-dir': dockerd.cniConfigFolder,
      'cni-bin-dir': dockerd.cniPluginFolder,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const runtime = reader.runtime;
    return agentUnderTest(folders, { runtime }, () =>
      startAgent(folders, '--docker', '--restrict-oom-score-adj', ...args),
    );
  };

  it('runs all example pods', async () => {
    await using agent = await start();
    const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.yaml'));
    for (const name of files) await copyFile(join(EXAMPLES, name), join(agent.folders.manifests, name));
    const expected = new Map([
      ['crash-loop', 'Running'],
      ['job', 'Succeeded'],
    ]);
    await agent.eventually('the phases of all pods', async () => {
      const phases = await Promise.all(files.map(async (name) => (await agent.pod(name.slice(0, -5)))?.status?.phase));
      return phases.every((phase, index) => phase === (expected.get(files[index]!.slice(0, -5)) ?? 'Running'));
    });
    const { stdout } = await agent.process.command('logs', 'job-node1');
    expect(stdout).not.toBe('');
  });

  it.skipIf(registryUnavailable() !== undefined)(
    'shows the bytes of a pull, and the pull that waits for it',
    async () => {
      await using registry = await startPrivateRegistry({ directory: join(folder, 'registry') });
      await using agent = await start();
      // Docker reports ten times a second, and nothing while it waits.
      await expectPullProgress(agent, registry, 1);
    },
  );

  it('keeps containers and their logs when the agent is killed', async () => {
    await using agent = await start();
    const count = 'i=0; while true; do i=$((i + 1)); echo $i; sleep 0.05; done';
    await agent.write('count', { containers: [{ name: 'main', ...shell(count) }] });
    const { id } = await agent.eventually('it runs', () => agent.running('count', 'main'));
    await agent.end('SIGKILL');
    agent.startAgain();
    await agent.eventually(
      'the agent shows it again',
      async () => (await agent.pod('count'))?.status?.phase === 'Running',
    );
    expect((await agent.containers('count', 'main')).map((container) => container.id)).toEqual([id]);
    const [pod] = await readdir(agent.folders.podLogs);
    const path = join(agent.folders.podLogs, pod!, 'main', '0.log');
    const numbers = async (): Promise<number[]> => {
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
      return lines.map((line) => Number(line.split(' ')[3]));
    };
    const before = (await numbers()).length;
    const found = await agent.eventually('more lines', async () => {
      const all = await numbers();
      return all.length > before + 20 && all;
    });
    expect(found).toEqual(found.map((_number, index) => index + 1));
  });

  it('doubles and loses nothing when Docker and the agent are killed among changes', { timeout: 180_000 }, async () => {
    await using agent = await start();
    const names = Array.from({ length: 6 }, (_, index) => `churn-${String(index)}`);
    const write = (name: string, version: number): Promise<void> =>
      agent.write(name, {
        containers: [{ name: 'main', ...shell('sleep 600'), env: [{ name: 'VERSION', value: String(version) }] }],
      });
    for (const name of names) await write(name, 0);
    for (const [round, killed] of (['docker', 'agent', 'docker', 'agent'] as const).entries()) {
      for (const name of names.slice(round, round + 3)) await write(name, round + 1);
      // In the middle of the changes.
      await new Promise<void>((resolve) => void systemClock.setTimer(300 + 400 * round, resolve));
      if (killed === 'docker') await dockerd.restart('SIGKILL');
      else {
        await agent.end('SIGKILL');
        agent.startAgain();
      }
    }
    const versions = names.map((_name, index) =>
      Math.max(0, ...[0, 1, 2, 3].filter((r) => index >= r && index < r + 3).map((r) => r + 1)),
    );
    await agent.eventually(
      'each pod runs in its last version',
      async () => {
        const pods = await Promise.all(names.map((name) => agent.pod(name)));
        return pods.every(
          (pod, index) =>
            pod?.status?.phase === 'Running' &&
            pod.spec?.containers[0]?.env?.[0]?.value === String(versions[index]) &&
            pod.status.containerStatuses?.[0]?.state?.running !== undefined,
        );
      },
      90_000,
    );
    for (const name of names) {
      const running = await agent.eventually(`one container of ${name}`, async () => {
        const all = await reader.runtime.listContainers({
          filter: { state: { state: 1 }, labelSelector: { 'io.kubernetes.pod.name': `${name}-node1` } },
        });
        return all.containers.length === 1 && all.containers;
      });
      expect(running).toHaveLength(1);
    }
  });
});

it.skipIf(unavailable !== undefined)('rxlet --docker reports a Docker that does not answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-e2e-'));
  try {
    const folders = await makeAgentFolders(folder);
    const agent = startAgent(folders, '--docker', `--docker-endpoint=unix://${folder}/none.sock`);
    await expect
      .poll(() => agent.output(), { timeout: 20_000 })
      .toContain(`cannot run pods on Docker: cannot reach Docker at ${folder}/none.sock: connect ENOENT`);
    await agent[Symbol.asyncDispose]();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
