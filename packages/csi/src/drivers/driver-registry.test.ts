import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CsiCallError, type RegisteredCsiDriver } from '../csi-drivers.ts';
import { type Clock, sleep, systemClock } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createHostFiles } from '@rxlet/node-files';
import { createPluginWatcher, createSocketTransport, type Transport } from '@rxlet/node-plugins';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDriver, type TestDriverOptions } from '../testing/test-driver.ts';
import { createDriverRegistry } from './driver-registry.ts';

const NAME = 'csi.example.com';
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function testDriver(options: Partial<TestDriverOptions> = {}) {
  const unused = async (): Promise<never> => Promise.reject(new Error('not expected'));
  const driver = createTestDriver({
    name: NAME,
    mounts: { makeVolume: unused, bind: unused, unbind: unused },
    ...options,
  });
  cleanUps.unshift(() => driver[Symbol.asyncDispose]());
  return driver;
}

function watch(clock: Clock, transport: Transport, hostFiles: ReturnType<typeof createHostFiles>, directory: string) {
  const logger = recordingLogger();
  const drivers = createDriverRegistry({ clock, transport }, []);
  let registered: readonly RegisteredCsiDriver[] = [];
  drivers.registered$.subscribe((list) => (registered = list));
  const watcher = createPluginWatcher({ clock, logger, hostFiles, transport, handlers: [drivers.handler] }, directory);
  cleanUps.unshift(() => watcher[Symbol.asyncDispose]());
  watcher.start();
  const names = () => registered.map(({ name }) => name);
  const errors = () => logger.lines.flatMap(({ fields }) => fields?.['error'] ?? []);
  return { drivers, names, registered: () => registered, errors };
}

describe('plugins behind real sockets', () => {
  async function createDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'plugins-'));
    cleanUps.push(() => rm(directory, { recursive: true }));
    return directory;
  }
  const overSockets = (directory: string) => watch(systemClock, createSocketTransport(), createHostFiles(), directory);
  const until = async (condition: () => boolean): Promise<void> => {
    for (let step = 0; step < 500 && !condition(); step += 1) await sleep(systemClock, 20);
    expect(condition()).toBe(true);
  };

  it('registers, calls and removes a plugin with its socket', async () => {
    const directory = await createDirectory();
    const socket = join(directory, 'nested', 'driver.sock');
    await mkdir(join(directory, 'nested'));
    const driver = testDriver({ capabilities: ['GET_VOLUME_STATS', 'EXPAND_VOLUME'], maxVolumes: 7 });
    await driver.listen(socket);
    const { drivers, registered } = overSockets(directory);
    await until(() => registered().length === 1);
    expect(registered()).toEqual([{ name: NAME, nodeId: `node-of-${NAME}`, maxVolumes: 7, topology: {} }]);
    await until(() => driver.calls.some(({ method }) => method === 'NotifyRegistrationStatus'));
    expect(driver.calls.at(-1)?.request).toMatchObject({ pluginRegistered: true, error: '' });

    const node = drivers.node(NAME);
    expect([...(await node.capabilities())]).toEqual(['GET_VOLUME_STATS', 'EXPAND_VOLUME']);
    const volume = { volumeId: 'v', volumePath: '/v', stagingTargetPath: '' };
    expect((await node.volumeStats(volume)).bytes).toMatchObject({ available: 6n, total: 10n, used: 4n });
    const mount = { fsType: '', mountFlags: [], accessMode: 'SINGLE_NODE_WRITER', secrets: {} } as const;
    expect(await node.expandVolume({ ...volume, ...mount, requiredBytes: 8n })).toBe(8n);
    driver.fault = () => {
      throw new CsiCallError('ResourceExhausted', 'no space');
    };
    await expect(node.volumeStats(volume)).rejects.toMatchObject({
      message: 'rpc error: code = ResourceExhausted desc = no space',
      isFinal: false,
    });

    await driver[Symbol.asyncDispose]();
    await rm(socket, { force: true });
    await until(() => registered().length === 0);
    expect(() => drivers.node(NAME)).toThrow(`driver name ${NAME} not found in the list of registered CSI drivers`);
    await expect(node.capabilities()).rejects.toMatchObject({ code: 'Unavailable', isFinal: false });
  });

  it('does not wait for silent plugins, neither for the others nor at the end', async () => {
    const directory = await createDirectory();
    const silent = createServer(() => undefined);
    cleanUps.unshift(() => silent.close());
    await new Promise<void>((resolve) => silent.listen(join(directory, 'a.sock'), resolve));
    await testDriver().listen(join(directory, 'b.sock'));
    const { names, errors } = overSockets(directory);
    await until(() => names().length === 1);
    await until(() => errors().length > 0);
    expect(errors()[0]).toContain('failed to get plugin info using RPC GetInfo at socket');
    expect(errors()[0]).toContain('code = DeadlineExceeded');
  });
});

describe('registration', () => {
  function inMemory(driver: ReturnType<typeof testDriver>) {
    const clock = createVirtualClock();
    const memory = createMemoryFiles();
    const made = watch(clock, driver.transport, memory.hostFiles, '/plugins');
    const notices = () => driver.calls.filter(({ method }) => method === 'NotifyRegistrationStatus');
    return { ...made, clock, memory, notices };
  }

  it('reports to a plugin why it was rejected, and retries it with back-off', async () => {
    const { clock, memory, names, notices } = inMemory(testDriver({ versions: ['2.0.0'] }));
    memory.putSpecial('/plugins/driver.sock', 'socket');
    await clock.advance(60_000);
    expect(names()).toEqual([]);
    expect(notices()[0]?.request['pluginRegistered']).toBe(false);
    expect(notices()[0]?.request['error']).toMatch(
      /^RegisterPlugin error -- plugin registration failed with err: .*are supported/,
    );
    expect(notices().length).toBeGreaterThan(3);
    expect(notices().length).toBeLessThan(10);
  });

  it('rejects types without a handler', async () => {
    const { clock, memory, notices } = inMemory(testDriver({ type: 'DRAPlugin' }));
    memory.putSpecial('/plugins/driver.sock', 'socket');
    await clock.advance(1_000);
    expect(notices()[0]?.request['error']).toBe(
      'RegisterPlugin error -- no handler registered for plugin type: DRAPlugin at socket /plugins/driver.sock',
    );
  });

  it('rejects a driver that does not know its node', async () => {
    const { clock, memory, names, notices } = inMemory(testDriver({ nodeId: '' }));
    memory.putSpecial('/plugins/driver.sock', 'socket');
    await clock.advance(1_000);
    expect(names()).toEqual([]);
    expect(notices()[0]?.request['error']).toMatch(
      /error adding CSI driver node info: driverNodeID must not be empty$/,
    );
  });

  it('ignores hidden sockets and files, and registers a socket that was replaced anew', async () => {
    const { clock, memory, names, notices } = inMemory(testDriver());
    memory.putSpecial('/plugins/.hidden.sock', 'socket');
    memory.put('/plugins/file.sock', '');
    await clock.advance(2_000);
    expect(names()).toEqual([]);
    memory.putSpecial('/plugins/driver.sock', 'socket');
    await clock.advance(2_000);
    expect(names()).toEqual([NAME]);
    expect(notices().length).toBe(1);
    memory.remove('/plugins/driver.sock');
    memory.putSpecial('/plugins/driver.sock', 'socket');
    await clock.advance(2_000);
    expect(names()).toEqual([NAME]);
    expect(notices().length).toBe(2);
  });

  it('does not let a second socket take the place of a driver with the same version', async () => {
    const { clock, memory, names, notices } = inMemory(testDriver());
    memory.putSpecial('/plugins/a.sock', 'socket');
    await clock.advance(2_000);
    memory.putSpecial('/plugins/b.sock', 'socket');
    await clock.advance(2_000);
    expect(names()).toEqual([NAME]);
    expect(notices()[1]?.request['error']).toContain(
      'Another driver with the same name is already registered with a higher supported version: "1.9.0"',
    );
  });
});
