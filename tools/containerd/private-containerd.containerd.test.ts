import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  ContainerState,
  type ContainerStatus,
  ImageServiceDescriptor,
  NamespaceMode,
  type PodSandboxConfigSchema,
  PodSandboxState,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { BUSYBOX_REFERENCE, busyboxImage } from './build-image.ts';
import { mountsBelow, shimOf } from './clean-up.ts';
import { criCall } from './cri-call.ts';
import { containerdUnavailable, type PrivateContainerd, startPrivateContainerd } from './private-containerd.ts';
import { findProcesses, processStartTime, run, until } from './processes.ts';

const { method } = RuntimeServiceDescriptor;
const TIMEOUT_MS = 20_000;

const unavailable = containerdUnavailable();
if (unavailable !== undefined) process.stderr.write(`private containerd: skipped: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('a private containerd', () => {
  const parent = mkdtempSync(join(tmpdir(), 'rxlet-'));
  const directory = join(parent, 'containerd');
  let containerd: PrivateContainerd | undefined;

  afterEach(async () => {
    await containerd?.stop();
    containerd = undefined;
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it('runs pods with an address, logs and exit codes, and leaves nothing', async () => {
    containerd = await startPrivateContainerd({ directory });
    expect(await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE))).toEqual([BUSYBOX_REFERENCE]);
    const { address, bridge, subnet } = containerd;

    const { images } = await criCall(address, ImageServiceDescriptor.method.listImages, {}, TIMEOUT_MS);
    expect(images.flatMap(({ repoTags }) => repoTags).sort()).toEqual([BUSYBOX_REFERENCE, 'localhost/rxlet/pause:1']);

    const pod = await runPod(address, 'printer');
    expect(pod.ip.split('.').slice(0, 3)).toEqual(subnet.split('.').slice(0, 3));
    expect(networkInterfaces()[bridge]?.[0]?.address).toBe(subnet.replace('0/24', '1'));

    const id = await runContainer(address, pod, ['sh', '-c', 'echo to stdout; echo to stderr >&2; exit 3']);
    const status = await exited(address, id);
    expect({ exitCode: status.exitCode, reason: status.reason }).toEqual({ exitCode: 3, reason: 'Error' });
    const lines = readFileSync(join(pod.config.logDirectory ?? '', 'main.log'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => line.slice(line.indexOf(' ') + 1)).sort()).toEqual([
      'stderr F to stderr',
      'stdout F to stdout',
    ]);

    await containerd.stop();
    expect(await leftovers(directory, bridge)).toEqual([]);
  });

  it('removes running containers and host ports', async () => {
    containerd = await startPrivateContainerd({ directory });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    const { address, bridge } = containerd;
    const pod = await runPod(address, 'server', [{ containerPort: 80, hostPort: 28_080 }]);
    await runContainer(address, pod, ['sleep', '1000']);
    expect(await run('iptables-save', ['-t', 'nat'])).toContain(bridge);
    expect(findProcesses((argv) => shimOf(argv) === address)).toHaveLength(1);

    await containerd.stop();
    expect(await leftovers(directory, bridge)).toEqual([]);
  });

  it('stops a sandbox at once, because its process handles SIGTERM', async () => {
    containerd = await startPrivateContainerd({ directory });
    const { address } = containerd;
    const pod = await runPod(address, 'quick');
    // `ctr` sends the signal to the sandbox's process, which as process 1 would not see a SIGTERM without a handler.
    await containerd.ctr(['tasks', 'kill', '--signal', 'SIGTERM', pod.id]);
    await until('the exit of the sandbox', 5_000, async () => {
      const { status } = await criCall(address, method.podSandboxStatus, { podSandboxId: pod.id }, TIMEOUT_MS);
      return status?.state === PodSandboxState.SANDBOX_NOTREADY;
    });
    await criCall(address, method.stopPodSandbox, { podSandboxId: pod.id }, 5_000);
    await criCall(address, method.removePodSandbox, { podSandboxId: pod.id }, 5_000);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('keeps containers across a restart by %s', async (signal) => {
    containerd = await startPrivateContainerd({ directory });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    const { address } = containerd;
    const pod = await runPod(address, 'survivor');
    const id = await runContainer(address, pod, ['sleep', '1000']);
    const before = await containerStatus(address, id);

    await containerd.restart(signal);

    expect(before.state).toBe(ContainerState.CONTAINER_RUNNING);
    expect(await containerStatus(address, id)).toEqual(before);
  });

  it('keeps the records of containers, and none of their processes, across a restart of the machine', async () => {
    containerd = await startPrivateContainerd({ directory });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    const { address } = containerd;
    const pod = await runPod(address, 'lost');
    const id = await runContainer(address, pod, ['sleep', '1000']);

    await containerd.reboot();

    const after = await containerStatus(address, id);
    expect([after.state, after.finishedAt > 0n]).toEqual([ContainerState.CONTAINER_EXITED, true]);
    const next = await runPod(address, 'next');
    const running = await runContainer(address, next, ['sleep', '1000']);
    expect((await containerStatus(address, running)).state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('cleans up after a run that was killed', async () => {
    const program = fileURLToPath(new URL('main.ts', import.meta.url));
    const killed = spawn(process.execPath, [program, '--directory', directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(killed.stdout)) if (line.startsWith('containerd is ready')) break;
    const address = join(directory, 'containerd.sock');
    const { bridge } = JSON.parse(readFileSync(join(directory, 'private-containerd.json'), 'utf8')) as {
      bridge: string;
    };
    await runPod(address, 'orphan');
    await expect(startPrivateContainerd({ directory })).rejects.toThrow(
      `${directory} is in use by the containerd of process ${String(killed.pid)}`,
    );
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const [shim] = findProcesses((argv) => shimOf(argv) === address);
    expect(processStartTime(shim?.pid ?? 0)).toBeDefined();

    // Another directory: the orphaned one is found by its shim.
    containerd = await startPrivateContainerd({ directory: join(parent, 'other') });

    expect(await leftovers(directory, bridge)).toEqual([]);
  });

  it('reports why containerd did not come up, and leaves nothing', async () => {
    // Too short even for a connection.
    await expect(startPrivateContainerd({ directory, startTimeoutMs: 0 })).rejects.toThrow(
      /containerd did not come up: an answer of its CRI \(.*\): not within 0 ms\nThe end of its log:/,
    );
    expect(existsSync(directory)).toBe(false);
  });

  it('does not touch a directory with other content', async () => {
    await expect(startPrivateContainerd({ directory: fileURLToPath(new URL('.', import.meta.url)) })).rejects.toThrow(
      'is not empty',
    );
  });

  interface Pod {
    readonly id: string;
    readonly ip: string;
    readonly config: MessageInitShape<typeof PodSandboxConfigSchema>;
  }

  async function runPod(
    address: string,
    name: string,
    portMappings: { containerPort: number; hostPort: number }[] = [],
  ): Promise<Pod> {
    const config = {
      metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 },
      hostname: name,
      logDirectory: join(parent, 'logs', name),
      portMappings,
      linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } },
    };
    const { podSandboxId } = await criCall(address, method.runPodSandbox, { config }, TIMEOUT_MS);
    const { status } = await criCall(address, method.podSandboxStatus, { podSandboxId }, TIMEOUT_MS);
    return { id: podSandboxId, ip: status?.network?.ip ?? '', config };
  }

  async function runContainer(address: string, pod: Pod, command: string[]): Promise<string> {
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: BUSYBOX_REFERENCE },
      command,
      logPath: 'main.log',
      linux: { securityContext: { namespaceOptions: { pid: NamespaceMode.CONTAINER } } },
    };
    const request = { podSandboxId: pod.id, config, sandboxConfig: pod.config };
    const { containerId } = await criCall(address, method.createContainer, request, TIMEOUT_MS);
    await criCall(address, method.startContainer, { containerId }, TIMEOUT_MS);
    return containerId;
  }

  async function containerStatus(address: string, containerId: string): Promise<ContainerStatus> {
    const { status } = await criCall(address, method.containerStatus, { containerId }, TIMEOUT_MS);
    if (status === undefined) throw new Error(`no status of ${containerId}`);
    return status;
  }

  async function exited(address: string, containerId: string): Promise<ContainerStatus> {
    let status: ContainerStatus | undefined;
    await until('the exit of the container', TIMEOUT_MS, async () => {
      status = await containerStatus(address, containerId);
      return status.state === ContainerState.CONTAINER_EXITED;
    });
    return status ?? containerStatus(address, containerId);
  }
});

/** Returns everything that a containerd could leave on the machine. */
async function leftovers(directory: string, bridge: string): Promise<string[]> {
  const socket = join(directory, 'containerd.sock');
  const cache = '/var/lib/cni/results';
  return [
    ...findProcesses((argv) => argv.some((arg) => arg.includes(directory))).map(({ argv }) => argv.join(' ')),
    ...mountsBelow(directory),
    ...Object.keys(networkInterfaces()).filter((name) => name === bridge),
    ...(await run('iptables-save', ['-t', 'nat'])).split('\n').filter((line) => line.includes(bridge)),
    ...(existsSync(cache) ? readdirSync(cache) : []).filter((name) => name.startsWith(bridge)),
    ...globSync([directory, `${socket}*`]),
  ];
}
