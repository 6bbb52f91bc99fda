import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReportedHealth } from '../health/device-health.ts';
import { createTestDraPlugin, type TestDraPlugin } from '../testing/test-dra-plugin.ts';
import { createPluginRegistry } from './plugin-registry.ts';

const { signal } = new AbortController();
const DRIVER = 'gpu.example.com';
const device: ReportedHealth = { poolName: 'p', deviceName: 'd', health: 'Healthy', timeoutMs: 0, message: '' };

function createBench(watchesHealth = true) {
  const clock = createVirtualClock();
  const bySocket = new Map<string, TestDraPlugin>();
  const log: string[] = [];
  const registry = createPluginRegistry({
    clock,
    logger: recordingLogger(),
    connect: (endpoint, service) => bySocket.get(endpoint)!.connect(endpoint, service),
    usabilityChanged: (driver, isUsable) => void log.push(`${driver} ${isUsable ? 'usable' : 'gone'}`),
    healthReported: watchesHealth
      ? (driver, devices) => void log.push(`${driver} ${devices.map(({ health }) => health).join(',')}`)
      : undefined,
    healthEnded: (driver) => void log.push(`${driver} without health`),
    called: (driver, method, code) => void log.push(`${driver} ${method} ${code}`),
  });
  onTestFinished(() => registry[Symbol.asyncDispose]());
  const description = (endpoint: string, versions: readonly string[] = ['v1.DRAPlugin']) => ({
    ...{ type: 'DRAPlugin', name: DRIVER, endpoint, versions },
  });
  return {
    clock,
    registry,
    log,
    description,
    add(endpoint: string, plugin = createTestDraPlugin({ driver: DRIVER })) {
      bySocket.set(endpoint, plugin);
      return plugin;
    },
    register: (endpoint: string) => registry.handler.register(description(endpoint), signal),
    deregister: (endpoint: string) => registry.handler.deregister(description(endpoint)),
    prepare: () =>
      registry.find(DRIVER).prepare([{ namespace: 'ns', uid: 'c1', name: 'x' }], { timeoutMs: 1_000, signal }),
  };
}

describe('registration', () => {
  it.each([
    ['', 'DRA driver name is empty'],
    [DRIVER, `DRA driver ${DRIVER} is not registered`],
  ])('is required of the driver %j', (driver, message) => {
    expect(() => createBench().registry.find(driver)).toThrow(new Error(message));
  });

  it('rejects unknown services, and a second plugin on one socket', async () => {
    const { registry, add, register, description } = createBench();
    add('/a.sock');
    await expect(registry.handler.register(description('/a.sock', []), signal)).rejects.toThrow('empty list');
    await register('/a.sock');
    await expect(register('/a.sock')).rejects.toThrow(
      new Error(`endpoint /a.sock already registered for DRA driver plugin ${DRIVER}`),
    );
  });

  it('is bounded', async () => {
    const { add, register } = createBench();
    for (let index = 0; index < 257; index += 1) add(`/${String(index)}.sock`);
    for (let index = 0; index < 256; index += 1) await register(`/${String(index)}.sock`);
    await expect(register('/256.sock')).rejects.toThrow('too many DRA plugins are registered');
  });
});

describe('several instances of a driver', () => {
  it('serve calls by the newest that is connected, else by the newest', async () => {
    const { add, register, deregister, prepare, registry } = createBench();
    const [first, second] = [add('/a.sock'), add('/b.sock')];
    await register('/a.sock');
    await register('/b.sock');
    await prepare();
    expect([first.calls.length, second.calls.length]).toEqual([0, 1]);
    second.setUp(false);
    await prepare();
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
    first.setUp(false);
    await expect(prepare()).rejects.toThrow('rpc error: code = Unavailable');
    first.setUp(true);
    deregister('/b.sock');
    deregister('/b.sock');
    await prepare();
    expect(first.calls.length).toBe(2);
    deregister('/a.sock');
    expect(() => registry.find(DRIVER)).toThrow('is not registered');
  });

  it('make the driver usable while one of them is connected', async () => {
    const { add, register, deregister, log } = createBench(false);
    const [first, second] = [add('/a.sock'), add('/b.sock')];
    first.setUp(false);
    await register('/a.sock');
    await register('/b.sock');
    second.setUp(false);
    second.setUp(true);
    deregister('/a.sock');
    deregister('/b.sock');
    expect(log.map((line) => line.split(' ')[1])).toEqual([
      ...['gone', 'gone', 'usable', 'gone', 'usable', 'usable', 'gone'],
    ]);
  });
});

describe('health', () => {
  it('is watched again five seconds after the end of a stream', async () => {
    const { add, register, log, clock } = createBench();
    const plugin = add('/a.sock');
    plugin.setHealth([device]);
    await register('/a.sock');
    await clock.settle();
    plugin.endHealth();
    await clock.advance(4_999);
    expect(log.filter((line) => !line.includes('usable') && !line.includes('gone'))).toEqual([
      `${DRIVER} Healthy`,
      `${DRIVER} without health`,
    ]);
    await clock.advance(1);
    expect(log.at(-1)).toBe(`${DRIVER} Healthy`);
  });

  it('stays while another instance reports it', async () => {
    const { add, register, deregister, log, clock } = createBench();
    for (const endpoint of ['/a.sock', '/b.sock']) {
      add(endpoint).setHealth([device]);
      await register(endpoint);
    }
    await clock.settle();
    deregister('/a.sock');
    await clock.settle();
    expect(log).not.toContain(`${DRIVER} without health`);
    deregister('/b.sock');
    expect(log).toContain(`${DRIVER} without health`);
  });

  it('is asked for once a minute when the plugin has none', async () => {
    const { add, register, log, clock } = createBench();
    let watches = 0;
    const plugin = createTestDraPlugin({ driver: DRIVER, reportsHealth: false });
    add('/a.sock', {
      ...plugin,
      connect(endpoint, service) {
        const connected = plugin.connect(endpoint, service);
        return {
          ...connected,
          watchHealth(...args) {
            watches += 1;
            return connected.watchHealth(...args);
          },
        };
      },
    });
    await register('/a.sock');
    await clock.advance(59_000);
    expect(watches).toBe(1);
    await clock.advance(2_000);
    expect(watches).toBe(2);
    expect(log).not.toContain(`${DRIVER} without health`);
  });
});

it('reports each call with its method and status', async () => {
  const { add, register, prepare, log } = createBench(false);
  const plugin = add('/a.sock');
  await register('/a.sock');
  await prepare();
  plugin.setUp(false);
  await expect(prepare()).rejects.toThrow();
  const method = '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources';
  expect(log.filter((line) => line.includes('/k8s'))).toEqual([
    `${DRIVER} ${method} OK`,
    `${DRIVER} ${method} Unavailable`,
  ]);
});
