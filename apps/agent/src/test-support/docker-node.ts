import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createCriClient } from '@rxlet/cri-client';
import { eventually } from '@rxlet/test-containerd/eventually';
import { followDockerEvents } from '@rxlet/test-containerd/docker-events';
import { startShim } from '@rxlet/test-containerd/docker-shim';
import { startPrivateDockerd } from '@rxlet/test-containerd/private-dockerd';
import { makeAgentFolders, startAgent } from './agent-process.ts';
import { agentUnderTest, type TestNode } from './containerd-node.ts';

/** Starts a machine as {@link TestNode}, with docker-shim in the place of containerd. */
export async function startDockerNode(): Promise<TestNode> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-e2e-'));
  const dockerd = await startPrivateDockerd(join(folder, 'd'));
  const shim = await startShim(dockerd, join(folder, 'shim'));
  const { endpoint } = shim;
  const cri = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
  const events = followDockerEvents(dockerd);
  const whenRestarted = (restart: () => Promise<void>) => async (): Promise<void> => {
    await restart();
    await eventually('the runtime answers', () => cri.runtime.listContainers({}).catch(() => undefined), shim.stderr);
  };
  let agents = 0;
  return {
    cri,
    endpoint,
    restart: () => dockerd.restart('SIGKILL'),
    folder,
    events,
    interruptions: [whenRestarted(() => shim.restart('SIGKILL'))],
    daemonInterruptions: [
      whenRestarted(() => dockerd.restart('SIGKILL')),
      whenRestarted(() => dockerd.restart('SIGTERM')),
    ],
    endForgottenTasks: async () => undefined,
    async agent(kubelet, prepare) {
      const folders = await makeAgentFolders(join(folder, `agent-${String(++agents)}`), kubelet);
      await prepare?.(folders);
      return agentUnderTest(folders, cri, () => startAgent(folders, '--container-runtime-endpoint', endpoint));
    },
    async [Symbol.asyncDispose]() {
      await events[Symbol.asyncDispose]();
      await cri[Symbol.asyncDispose]();
      await shim[Symbol.asyncDispose]();
      await dockerd[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
