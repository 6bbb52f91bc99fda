import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { connectToPlugin, createPluginWatcher, createSocketTransport } from '@rxlet/node-plugins';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDraManager, type DraManager, type DraManagerPorts } from './dra-manager.ts';
import { createDraPlugin } from './plugins/dra-plugin.ts';
import {
  createTestDraPlugin,
  testDevice,
  type TestDraPlugin,
  type TestDraPluginOptions,
} from './testing/test-dra-plugin.ts';

const DRIVER = 'gpu.example.com';
const OTHER = 'nic.example.com';
const { signal } = new AbortController();

/** A manager on a directory of its own, with plugins behind real sockets that a plugin watcher finds. Claims are allocated by the driver, and reserved for every pod. */
async function createBench() {
  const root = await mkdtemp(`${tmpdir()}/dra-`);
  const registry = `${root}/plugins_registry`;
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const files = createNodeFiles({ roots: [root] });
  await files.makeDirectory(registry, 0o750);
  /** Pods that use no claims any more. */
  const ended = new Set<string>();
  const stack = new AsyncDisposableStack();
  stack.defer(() => rm(root, { recursive: true, force: true }));
  onTestFinished(() => stack.disposeAsync());
  /** Claims whose name begins with `nic` are allocated by the other driver. */
  const resultsOf = (name: string) => [
    { driver: name.startsWith('nic') ? OTHER : DRIVER, request: 'r', pool: 'pool', device: 'd' },
  ];
  const reservedFor = ['p1', 'p2'].map((uid) => ({ resource: 'pods', name: uid, uid }));
  const ports: DraManagerPorts = {
    clock,
    logger,
    files,
    random: seededRandom(1),
    metrics: noopMetrics,
    client: { deleteCollection: async () => undefined },
    connect: (socketPath, service) => createDraPlugin(clock, connectToPlugin(socketPath), service),
    readClaim: async (namespace, name) => ({
      metadata: { name, namespace, uid: `uid-${name}` },
      spec: {},
      status: { reservedFor, allocation: { devices: { results: resultsOf(name) } } },
    }),
    mayUseClaims: (podUid) => !ended.has(podUid),
  };
  let current: { readonly manager: DraManager; stop(): Promise<void> } | undefined;
  const start = async ({ watchesFirst = false } = {}): Promise<DraManager> => {
    await current?.stop();
    const options = { extendedResources: true, healthStatus: true, healthMessages: true };
    const manager = createDraManager(ports, { nodeName: 'node1', rootDirectory: root, ...options });
    if (!watchesFirst) await manager.start();
    const watcher = createPluginWatcher(
      {
        ...{ logger, clock: systemClock, hostFiles: createHostFiles() },
        ...{ transport: createSocketTransport(), handlers: [manager.handler] },
      },
      registry,
    );
    watcher.start();
    if (watchesFirst) {
      // Time for plugins that register too early.
      await sleep(systemClock, 200);
      await manager.start();
    }
    current = {
      manager,
      async stop() {
        await watcher[Symbol.asyncDispose]();
        await manager[Symbol.asyncDispose]();
      },
    };
    return manager;
  };
  stack.defer(async () => current?.stop());
  const until = async (condition: () => boolean): Promise<void> => {
    for (let step = 0; step < 2_000 && !condition(); step += 1) await sleep(systemClock, 5);
    expect(condition()).toBe(true);
  };
  /** Lets the time of the manager pass beside the real one. */
  const passUntil = async (condition: () => boolean): Promise<void> => {
    for (let step = 0; step < 500 && !condition(); step += 1) {
      await clock.advance(1_000);
      await sleep(systemClock, 5);
    }
    expect(condition()).toBe(true);
  };
  const connected = (count: number) => () =>
    Object.values((current!.manager.inspect() as { plugins: Record<string, { isConnected: boolean }[]> }).plugins)
      .flat()
      .filter(({ isConnected }) => isConnected).length === count;
  return {
    ...{ root, clock, files, ended, start, until, passUntil, connected },
    stop: async () => current?.stop(),
    /** Starts a plugin on a socket; resolves when `count` plugins are connected. */
    async plug(options: Partial<TestDraPluginOptions> = {}, name = 'gpu', count = 1): Promise<TestDraPlugin> {
      const plugin = stack.use(createTestDraPlugin({ driver: DRIVER, ...options }));
      await rm(`${registry}/${name}.sock`, { force: true });
      await plugin.listen(`${registry}/${name}.sock`);
      await until(connected(count));
      return plugin;
    },
    unplug: (name = 'gpu') => rm(`${registry}/${name}.sock`),
  };
}

function podWith(uid: string, ...claims: readonly string[]): Pod {
  return {
    metadata: { name: uid, namespace: 'ns', uid },
    spec: {
      containers: [{ name: 'app', resources: { claims: claims.map((name) => ({ name })) } }],
      resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })),
    },
  };
}
const container = (pod: Pod) => pod.spec!.containers[0]!;

describe('a plugin behind a socket', () => {
  it.each(['v1.DRAPlugin', 'v1beta1.DRAPlugin'])('prepares and unprepares claims by %s', async (service) => {
    const { start, plug } = await createBench();
    const manager = await start();
    const devices = [
      { poolName: 'p', deviceName: 'd0', requestNames: ['r'], cdiDeviceIds: ['x/y=0'], shareId: 's' },
      { poolName: 'p', deviceName: 'd1', requestNames: [], cdiDeviceIds: ['x/y=1', 'x/y=2'] },
    ];
    const plugin = await plug({ services: [service], prepare: () => devices });
    const pod = podWith('p1', 'a');
    await manager.prepare(pod);
    expect(manager.additions(pod, container(pod))?.cdiDevices).toEqual(['x/y=0', 'x/y=1', 'x/y=2']);
    const [claim] = manager.assigned(pod, 'app');
    expect(claim?.devices.map(({ deviceName, shareId }) => [deviceName, shareId])).toEqual([
      ['d0', service === 'v1.DRAPlugin' ? 's' : undefined],
      ['d1', undefined],
    ]);
    await manager.unprepare('p1');
    expect(plugin.calls.map(({ method }) => method)).toEqual(['NodePrepareResources', 'NodeUnprepareResources']);
    expect(manager.assigned(pod, 'app')).toEqual([]);
  });

  it("fails a pod with the kubelet's event while it is not registered, and after 45 seconds without an answer", async () => {
    const { start, plug, clock, until } = await createBench();
    const manager = await start();
    const prefix = 'Failed to prepare dynamic resources: prepare dynamic resources: ';
    await expect(manager.prepare(podWith('p1', 'a'))).rejects.toMatchObject({
      name: 'PodStepError',
      reason: 'FailedPrepareDynamicResources',
      message: `${prefix}DRA driver ${DRIVER} is not registered`,
    });
    const plugin = await plug();
    const hang = Promise.withResolvers<void>();
    plugin.fault = () => hang.promise;
    const late = expect(manager.prepare(podWith('p1', 'a'))).rejects.toThrow(
      `${prefix}NodePrepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded`,
    );
    await until(() => plugin.calls.length === 1);
    await clock.advance(45_000);
    await late;
    hang.resolve();
  });

  it('may be replaced by another instance, and may come back on its socket', async () => {
    const { start, plug, unplug, until, connected } = await createBench();
    const manager = await start();
    const first = await plug();
    const second = await plug({}, 'gpu-2', 2);
    await manager.prepare(podWith('p1', 'a'));
    await unplug();
    await first[Symbol.asyncDispose]();
    await until(connected(1));
    await manager.unprepare('p1');
    expect([first.calls.length, second.calls.length]).toEqual([0, 2]);
    await second[Symbol.asyncDispose]();
    await until(connected(0));
    await expect(manager.prepare(podWith('p1', 'a'))).rejects.toThrow(
      'NodePrepareResources: rpc error: code = Unavail',
    );
    const third = await plug({}, 'gpu-2');
    await manager.prepare(podWith('p1', 'a'));
    expect(third.prepared.size).toBe(1);
  });

  it.each<[string, (plugin: TestDraPlugin) => TestDraPlugin['fault'], Partial<TestDraPluginOptions>, RegExp]>([
    [
      'dies',
      (plugin) => async () => plugin[Symbol.asyncDispose](),
      {},
      /NodePrepareResources: rpc error: code = Unavailable/,
    ],
    [
      'fails',
      () => () => Promise.reject(new Error('oops')),
      {},
      /NodePrepareResources: rpc error: code = Internal desc = oops/,
    ],
    [
      'answers more than a message may have',
      () => undefined,
      {
        prepare: () => [{ ...testDevice(DRIVER, 'a'), cdiDeviceIds: Array.from({ length: 5 }, () => 'x'.repeat(1e6)) }],
      },
      /NodePrepareResources: rpc error: code = ResourceExhausted/,
    ],
  ])('harms no claim of another driver when it %s in a call', async (_title, faultOf, options, message) => {
    const { start, plug } = await createBench();
    const manager = await start();
    const gpu = await plug(options);
    await plug({ driver: OTHER }, 'nic', 2);
    gpu.fault = faultOf(gpu);
    const both = podWith('p1', 'a', 'nic');
    await expect(manager.prepare(both)).rejects.toThrow(message);
    const pod = podWith('p2', 'nic');
    await manager.prepare(pod);
    expect(manager.additions(pod, container(pod))?.cdiDevices).toEqual([`${OTHER}/device=nic`]);
    expect(manager.assigned(both, 'app').map(({ name, devices }) => [name, devices.length])).toEqual([
      ['a', 0],
      ['nic', 1],
    ]);
  });

  it('reports health, which survives a restart of the agent and ends with the plugin', async () => {
    const { start, plug, until, files, root } = await createBench();
    let manager = await start();
    const plugin = await plug();
    const pod = podWith('p1', 'a');
    await manager.prepare(pod);
    const changed: string[] = [];
    manager.healthChanges$.subscribe((uid) => void changed.push(uid));
    const healthOf = (): string | undefined => manager.resourceHealth(pod, 'app')[0]?.resources?.[0]?.health;
    expect(healthOf()).toBe('Unknown');
    plugin.setHealth([{ poolName: 'pool', deviceName: 'a', health: 'Unhealthy', message: 'hot', timeoutMs: 90_000 }]);
    await until(() => changed.length === 1);
    expect(changed).toEqual(['p1']);
    expect(manager.resourceHealth(pod, 'app')).toEqual([
      { name: 'claim:a', resources: [{ resourceID: `${DRIVER}/device=a`, health: 'Unhealthy', message: 'hot' }] },
    ]);
    const saved = () => files.readPrivate(`${root}/dra_health_state`, 10_000);
    for (let step = 0; step < 200 && !(await saved())?.includes('hot'); step += 1) await sleep(systemClock, 5);
    manager = await start();
    expect(healthOf()).toBe('Unhealthy');
    await until(() => JSON.stringify(manager.inspect()).includes('"reportsHealth":true'));
    await plugin[Symbol.asyncDispose]();
    await until(() => healthOf() === 'Unknown');
  });

  it('does not report health before the health of all drivers is restored', async () => {
    const { start, stop, plug, unplug, until, connected, files, root } = await createBench();
    let manager = await start();
    const gpu = await plug();
    const nic = await plug({ driver: OTHER }, 'nic', 2);
    const pod = podWith('p1', 'nic');
    await manager.prepare(pod);
    nic.setHealth([{ poolName: 'pool', deviceName: 'nic', health: 'Unhealthy', timeoutMs: 90_000 }]);
    const saved = () => files.readPrivate(`${root}/dra_health_state`, 10_000);
    for (let step = 0; step < 200 && !(await saved())?.includes('Unhealthy'); step += 1) await sleep(systemClock, 5);
    await stop();
    await unplug('nic');
    gpu.setHealth([{ poolName: 'pool', deviceName: 'gpu', health: 'Healthy', timeoutMs: 90_000 }]);
    manager = await start({ watchesFirst: true });
    await until(connected(1));
    expect(manager.resourceHealth(pod, 'app')[0]?.resources?.[0]?.health).toBe('Unhealthy');
  });
});

describe('the state of claims', () => {
  it('survives a restart, after which the next sandbox prepares again', async () => {
    const { start, plug, until, connected } = await createBench();
    let manager = await start();
    const plugin = await plug();
    const pod = podWith('p1', 'a');
    await manager.prepare(pod);
    manager = await start();
    // Containers restart without another preparation.
    expect(manager.additions(pod, container(pod))?.cdiDevices).toEqual([`${DRIVER}/device=a`]);
    await until(connected(1));
    await manager.prepare(pod);
    await manager.prepare(pod);
    expect(manager.assigned(pod, 'app')[0]?.devices).toHaveLength(1);
    await manager.unprepare('p1');
    expect(plugin.calls.map(({ method }) => method)).toEqual([
      ...['NodePrepareResources', 'NodePrepareResources', 'NodeUnprepareResources'],
    ]);
  });

  it('is written at the first start, and must be readable', async () => {
    const { start, files, root } = await createBench();
    await start();
    const path = `${root}/dra_manager_state`;
    expect(await files.readPrivate(path, 1_000)).toContain('"Checksum"');
    await files.replaceFile(path, '{"Data":"{}","Checksum":1}', 0o600);
    const problem = 'failed to get checkpoint dra_manager_state: checkpoint is corrupted';
    await expect(start()).rejects.toThrow(`create ResourceClaim cache: GetOrCreate() on checkpoint state: ${problem}`);
  });

  it('must be deleted only when it is damaged, not when it cannot be read', async () => {
    const { start, files, root } = await createBench();
    const path = `${root}/dra_manager_state`;
    await files.writeFile(path, '{', 0o600);
    await expect(start()).rejects.toThrow(`please drain this node and delete ${path}`);
    await rm(path);
    await files.makeDirectory(path, 0o750);
    await expect(start()).rejects.toThrow(/^((?!delete).)*$/);
  });

  it('loses pods that are gone within a minute', async () => {
    const { start, plug, passUntil, ended, clock } = await createBench();
    const manager = await start();
    const plugin = await plug();
    await manager.prepare(podWith('p1', 'a', 'b'));
    await manager.prepare(podWith('p2', 'a'));
    ended.add('p1');
    await clock.advance(59_000);
    expect(plugin.prepared.size).toBe(2);
    await passUntil(() => plugin.prepared.size === 1);
    expect(plugin.calls.at(-1)).toEqual({ method: 'NodeUnprepareResources', claims: ['b'] });
    ended.add('p2');
    plugin.fault = () => 'busy';
    await passUntil(() => plugin.calls.at(-1)?.claims[0] === 'a');
    plugin.fault = undefined;
    await passUntil(() => plugin.prepared.size === 0);
  });
});

it('ends calls in flight with its disposal', async () => {
  const { start, plug, until } = await createBench();
  const manager = await start();
  const plugin = await plug();
  plugin.fault = () => new Promise(() => undefined);
  const preparing = expect(manager.prepare(podWith('p1', 'a'), signal)).rejects.toThrow('NodePrepareResources');
  await until(() => plugin.calls.length === 1);
  await manager[Symbol.asyncDispose]();
  await preparing;
});
