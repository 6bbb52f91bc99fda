import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { sleep, systemClock } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Container, Pod } from '@rxlet/kube-api';
import { createNodeFiles } from '@rxlet/node-files';
import { connectToPlugin } from '@rxlet/node-plugins';
import { onTestFinished } from 'vitest';
import { createDeviceManager, type DeviceManager } from './device-manager.ts';
import { createDevicePlugin } from './plugins/device-plugin.ts';
import { createTestDevicePlugin, type TestDevice, type TestDevicePluginOptions } from './testing/test-device-plugin.ts';

export const GPU = 'example.com/gpu';

/** Returns healthy devices `d0`, `d1`, … */
export function devices(count: number): readonly TestDevice[] {
  return Array.from({ length: count }, (_, index) => ({ id: `d${String(index)}` }));
}

/** Returns a container that requests devices. */
export function using(name: string, count: number, more: Partial<Container> = {}): Container {
  return { name, resources: { limits: { [GPU]: String(count), cpu: '1' } }, ...more };
}

export function podOf(uid: string, containers: readonly Container[], initContainers: readonly Container[] = []): Pod {
  return {
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers: [...containers], initContainers: [...initContainers] },
  };
}

/** Creates a device manager on a directory of its own, with plugins behind real sockets and a virtual clock. It lives until the test has finished. */
export async function createBench() {
  const root = await mkdtemp(`${tmpdir()}/devices-`);
  const directory = `${root}/device-plugins`;
  const clock = createVirtualClock();
  const logger = recordingLogger();
  /** Pods that do not use devices any more. */
  const ended = new Set<string>();
  const running = new Set<string>();
  const runtime = { isBroken: false };
  const cleanUps: (() => Promise<void>)[] = [() => rm(root, { recursive: true, force: true })];
  onTestFinished(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  const files = createNodeFiles({ roots: [root] });
  let current: DeviceManager | undefined;
  const create = async ({ isStarted = true } = {}): Promise<DeviceManager> => {
    await current?.[Symbol.asyncDispose]();
    const connect = (socketPath: string) => createDevicePlugin(clock, connectToPlugin(socketPath));
    const manager = createDeviceManager(
      {
        clock,
        logger,
        files,
        connect,
        metrics: noopMetrics,
        mayUseDevices: (uid) => !ended.has(uid),
        async runningPods() {
          if (runtime.isBroken) throw new Error('broken');
          return running;
        },
      },
      directory,
    );
    current = manager;
    if (isStarted) await manager.start(new AbortController().signal);
    return manager;
  };
  cleanUps.push(async () => current?.[Symbol.asyncDispose]());
  const until = async (condition: () => boolean): Promise<void> => {
    for (let step = 0; step < 2_000; step += 1) {
      if (condition()) return;
      await sleep(systemClock, 5);
    }
    throw new Error('the condition was not reached within ten seconds');
  };
  return {
    root,
    directory,
    clock,
    logger,
    ended,
    running,
    runtime,
    files,
    until,
    socket: `${directory}/kubelet.sock`,
    manager: await create(),
    /** Stops the manager and creates another one on the same directory, which is started by default. */
    restart: create,
    /** Starts a plugin and registers it; resolves when its devices are known. */
    async plug(options: Partial<TestDevicePluginOptions> = {}, endpoint = 'gpu.sock') {
      const plugin = createTestDevicePlugin({ resource: GPU, devices: devices(2), ...options });
      cleanUps.push(async () => plugin[Symbol.asyncDispose]());
      await rm(`${directory}/${endpoint}`, { force: true });
      await plugin.listen(`${directory}/${endpoint}`);
      await plugin.register(`${directory}/kubelet.sock`, endpoint);
      const { resource = GPU, devices: offered = devices(2) } = options;
      await until(() => Number(current!.devices.amounts().capacity[resource] ?? 0) === offered.length);
      return plugin;
    },
    /** Returns the ids of a container's devices. */
    idsOf: (uid: string, container = 'app') =>
      current!.devices.ofContainer(uid, container).flatMap(({ deviceIds }) => deviceIds),
  };
}
