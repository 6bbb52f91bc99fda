import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { type CriClient, createCriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { shimOf } from '@rxlet/test-containerd/clean-up';
import { type PrivateContainerd, startPrivateContainerd } from '@rxlet/test-containerd/private-containerd';
import { findProcesses } from '@rxlet/test-containerd/processes';
import type { PodKind } from '../manifests.ts';
import { IMAGE } from '../manifests.ts';
import { withFakeRuntime } from '../with-fake-runtime.ts';
import type { AgentFolders } from './agent-program.ts';

/** A runtime without pods, for one life of an agent. */
export interface BenchNode {
  readonly client: CriClient;
  readonly folders: AgentFolders;
  /** Directory of container logs. */
  readonly logs: string;
  readonly podKind: PodKind;
  /** CPU time of the runtime so far, with its helpers. */
  runtimeCpuMs(): Promise<number>;
}

/** Port of the kubelet's API of the measured agents. */
export const API_PORT = 20_250;

/** Runs `task` with a fake runtime of its own. */
export async function withFakeNode(task: (node: BenchNode) => Promise<void>): Promise<void> {
  await withFakeRuntime(async (client, endpoint, folder, server) => {
    await client.images.pullImage({ image: { image: IMAGE } });
    await task({
      client,
      ...(await prepareFolders(folder, endpoint)),
      podKind: {},
      runtimeCpuMs: async () => (await server.usage()).cpuMs,
    });
  });
}

/** Runs `task` with a private containerd, and a function that makes a node on it. A node must be left without pods. */
export async function withContainerd(
  folder: string,
  task: (createNode: () => Promise<BenchNode>) => Promise<void>,
): Promise<void> {
  await using containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
  await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
  const { endpoint } = containerd;
  await using client = createCriClient({ clock: systemClock, random: systemRandom }, { endpoint });
  await task(async () => ({
    client,
    ...(await prepareFolders(await mkdtemp(join(folder, 'node-')), endpoint)),
    // It ends at SIGTERM at once, as the processes of the fake runtime do.
    podKind: { command: ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1; done"] },
    runtimeCpuMs: async () => containerdCpuMs(containerd),
  }));
}

async function prepareFolders(folder: string, endpoint: string): Promise<Pick<BenchNode, 'folders' | 'logs'>> {
  const [manifests, root, logs] = ['manifests', 'root', 'logs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const config = join(folder, 'kubelet.yaml');
  for (const path of [manifests, root, logs]) await mkdir(path, { recursive: true });
  // JSON is YAML as well.
  await writeFile(config, JSON.stringify(configuration(manifests, logs)));
  return { folders: { endpoint, manifests, root, config }, logs };
}

/** Returns the configuration of all agents: no cgroups, of which processes of a fake runtime have none, room for all pods, and an API without authentication. */
function configuration(manifests: string, logs: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    staticPodPath: manifests,
    podLogsDir: logs,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ['none'],
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    maxPods: 1000,
    podCIDR: '10.90.0.0/16',
    address: '127.0.0.1',
    port: API_PORT,
    healthzPort: 0,
    readOnlyPort: 0,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    // The benchmark must not be evicted by what others do to the disk.
    evictionHard: {
      'memory.available': '1Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    // The log that is read must not be rotated meanwhile.
    containerLogMaxSize: '1Gi',
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
}

/** CPU time of containerd, its shims, and the programs that they ran and waited for. */
function containerdCpuMs({ address }: PrivateContainerd): number {
  const config = join(address, '..', 'config.toml');
  const processes = findProcesses((argv) => shimOf(argv) === address || argv.includes(config));
  return processes.reduce((sum, { pid }) => sum + cpuMsWithChildren(pid), 0);
}

function cpuMsWithChildren(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return 0;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime, cstime in hundredths of a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}
