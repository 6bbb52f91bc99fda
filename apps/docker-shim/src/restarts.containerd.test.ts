import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { type RunningShim, startShim } from '@rxlet/test-containerd/docker-shim';
import { dockerdUnavailable, type PrivateDockerd, startPrivateDockerd } from '@rxlet/test-containerd/private-dockerd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPod, type TestPod } from './test-support/test-pod.ts';

const run = promisify(execFile);
const COUNT = 'i=0; while true; do i=$((i + 1)); echo $i; sleep 0.02; done';

describe.skipIf(dockerdUnavailable() !== undefined)('docker-shim over restarts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shim-'));
  let dockerd: PrivateDockerd;
  let shim: RunningShim;
  let client: CriClient;

  beforeAll(async () => {
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    shim = await startShim(dockerd, join(folder, 'shim'));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: shim.endpoint });
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await shim?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const pod = (name: string): Promise<TestPod> =>
    runPod(client, { name, logDirectory: join(folder, 'logs'), image: BUSYBOX_REFERENCE });
  const docker = (...args: string[]) => run('docker', ['--host', `unix://${dockerd.socketPath}`, ...args]);
  const linesOf = (...paths: string[]): string[] =>
    paths.filter(existsSync).flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1));
  const numbersOf = (...paths: string[]): number[] => linesOf(...paths).map((line) => Number(line.split(' ')[3]));
  const restartShim = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await shim.restart(signal);
    // The client backs off after a failed connection.
    await expect.poll(() => client.runtime.version({}).then(() => 'ready', String), { timeout: 10_000 }).toBe('ready');
  };
  const sandboxes = async () => (await client.runtime.listPodSandbox({})).items;

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'disturbs no container when the shim ends by %s, and loses no line',
    async (signal) => {
      await using own = await pod(`shim-${signal.toLowerCase()}`);
      const containerId = await own.start('main', COUNT);
      const path = join(own.logDirectory, 'main.log');
      await expect.poll(() => numbersOf(path).length).toBeGreaterThan(5);
      const before = await own.status(containerId);
      await restartShim(signal);
      const during = numbersOf(path).length;
      await expect.poll(() => numbersOf(path).length, { timeout: 10_000 }).toBeGreaterThan(during + 20);
      expect(await own.status(containerId)).toEqual(before);
      const { items } = await client.runtime.listPodSandbox({ filter: { id: own.id } });
      expect(items.map(({ state }) => state)).toEqual([PodSandboxState.SANDBOX_READY]);
      const numbers = numbersOf(path);
      expect(numbers).toEqual(Array.from(numbers, (_number, index) => index + 1));
    },
  );

  it('finds the end of a log that was rotated before the shim was killed', async () => {
    await using own = await pod('rotated');
    const containerId = await own.start('main', 'for i in 1 2 3; do echo $i; done; sleep 600');
    const path = join(own.logDirectory, 'main.log');
    await expect.poll(() => numbersOf(path)).toEqual([1, 2, 3]);
    renameSync(path, `${path}.1`);
    await client.runtime.reopenContainerLog({ containerId });
    await restartShim('SIGKILL');
    await sleep(systemClock, 500);
    expect(linesOf(path)).toEqual([]);
  });

  it('cuts off a line that was not finished, and completes the log of a container that exited meanwhile', async () => {
    await using own = await pod('exited');
    const containerId = await own.start('main', 'echo 1; sleep 1; echo 2');
    const path = join(own.logDirectory, 'main.log');
    await expect.poll(() => numbersOf(path)).toEqual([1]);
    const restarted = restartShim('SIGKILL');
    await docker('wait', containerId);
    await restarted;
    writeFileSync(path, `${readFileSync(path, 'utf8').trimEnd()}\n2026-01-01T00:00`);
    await restartShim('SIGKILL');
    await expect.poll(() => numbersOf(path)).toEqual([1, 2]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('goes on when Docker restarts by %s', async (signal) => {
    await using own = await pod(`docker-${signal.toLowerCase()}`);
    const containerId = await own.start('main', COUNT);
    const path = join(own.logDirectory, 'main.log');
    await expect.poll(() => numbersOf(path).length).toBeGreaterThan(5);
    const before = await own.status(containerId);
    await dockerd.restart(signal);
    expect(await own.status(containerId)).toEqual(before);
    const during = numbersOf(path).length;
    await expect.poll(() => numbersOf(path).length, { timeout: 20_000 }).toBeGreaterThan(during + 20);
    const numbers = numbersOf(path);
    // Docker itself does not read a container's output while it is down, and keeps it in a pipe.
    expect(numbers).toEqual(Array.from(numbers, (_number, index) => index + 1));
  });

  it('lists, stops and removes a sandbox whose container is gone', async () => {
    const own = await pod('gone');
    await docker('rm', '--force', own.id);
    const expected = {
      state: PodSandboxState.SANDBOX_NOTREADY,
      metadata: { name: 'gone', uid: 'uid-gone' },
      // A kubelet knows its sandboxes by them.
      labels: {
        'io.kubernetes.pod.name': 'gone',
        'io.kubernetes.pod.namespace': 'test',
        'io.kubernetes.pod.uid': 'uid-gone',
      },
    };
    expect((await sandboxes()).find(({ id }) => id === own.id)).toMatchObject(expected);
    const { status } = await client.runtime.podSandboxStatus({ podSandboxId: own.id });
    expect(status).toMatchObject(expected);
    await own[Symbol.asyncDispose]();
    expect((await sandboxes()).some(({ id }) => id === own.id)).toBe(false);
    expect(readdirSync(join(folder, 'shim/state/cni/results'))).toEqual([]);
  });

  it('disconnects at its start what is left of sandboxes that no longer exist', async () => {
    const own = await pod('left');
    await docker('rm', '--force', own.id);
    rmSync(join(folder, 'shim/state/sandbox', own.id));
    await restartShim('SIGKILL');
    await expect.poll(() => readdirSync(join(folder, 'shim/state/cni/results'))).toEqual([]);
  });

  it('sets a damaged checkpoint aside', async () => {
    await using own = await pod('damaged');
    const path = join(folder, 'shim/state/sandbox', own.id);
    writeFileSync(path, readFileSync(path, 'utf8').replace('damaged', 'DAMAGED'));
    const { items } = await client.runtime.listPodSandbox({ filter: { id: own.id } });
    expect(items).toMatchObject([{ state: PodSandboxState.SANDBOX_READY, metadata: { name: 'damaged' } }]);
    expect(existsSync(`${path}.damaged`)).toBe(true);
    expect(shim.stderr()).toContain('its checksum does not match its content');
  });

  it("rewrites resolv.conf for all containers of a pod, and never touches others' containers", async () => {
    await using own = await pod('dns');
    const containerId = await own.start('main', 'cat /etc/resolv.conf');
    await expect.poll(async () => (await own.status(containerId)).state).toBe(ContainerState.CONTAINER_EXITED);
    const text = linesOf(join(own.logDirectory, 'main.log')).map((line) => line.split(' ').slice(3).join(' '));
    expect(text).toEqual(['nameserver 10.0.0.10', 'search test.svc', 'options ndots:5']);
    const { stdout } = await docker('create', '--network=none', BUSYBOX_REFERENCE, 'true');
    const foreign = stdout.trim();
    await client.runtime.removeContainer({ containerId: foreign });
    await expect(client.runtime.containerStatus({ containerId: foreign })).rejects.toThrow('not found');
    await docker('rm', foreign);
  });
});
