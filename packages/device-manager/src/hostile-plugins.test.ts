import { describe, expect, it } from 'vitest';
import { createBench, devices, GPU, podOf, using } from './test-support.ts';
import { createTestDevicePlugin } from './testing/test-device-plugin.ts';

describe('a hostile device plugin', () => {
  it('is read no faster than its lists can be handled', async () => {
    const bench = await createBench();
    const { manager, clock } = bench;
    const plugin = await bench.plug({ devices: devices(1) });
    const count = (): number => Number(manager.devices.amounts().capacity[GPU] ?? 0);
    for (let size = 2; size <= 200; size++) plugin.setDevices(devices(size));
    await bench.until(() => count() >= 50);
    expect(count()).toBeLessThan(60);
    await bench.until(() => {
      void clock.advance(50);
      return count() === 200;
    });
  });

  it('with a hundred thousand devices blocks nothing, also when a pod gets all of them', async () => {
    const bench = await createBench();
    const plugin = await bench.plug({
      devices: devices(100_000).map(({ id }) => ({ id, numaNodes: [0] })),
      allocate: () => ({}),
    });
    expect(await bench.manager.admit(podOf('one', [using('app', 90_000)]))).toBeUndefined();
    expect(bench.idsOf('one')).toHaveLength(90_000);
    await plugin[Symbol.asyncDispose]();
  });

  it('may list devices twice and with any ids, which last over a restart', async () => {
    const bench = await createBench();
    const ids = ['', '__proto__', 'constructor', '../../etc', 'x'.repeat(100_000), '\u0000\n"'];
    await bench.manager[Symbol.asyncDispose]();
    const manager = await bench.restart();
    const plugin = createTestDevicePlugin({
      resource: GPU,
      devices: [...ids, ...ids].map((id) => ({ id, numaNodes: [-5, 2 ** 40, 0, 0] })),
    });
    await plugin.listen(`${bench.directory}/gpu.sock`);
    await plugin.register(bench.socket, 'gpu.sock');
    await bench.until(() => manager.devices.amounts().capacity[GPU] === '6');
    expect(await manager.admit(podOf('one', [using('app', 6)]))).toBeUndefined();
    expect(new Set(bench.idsOf('one'))).toEqual(new Set(ids));
    await bench.restart();
    expect(new Set(bench.idsOf('one'))).toEqual(new Set(ids));
    await plugin[Symbol.asyncDispose]();
  });

  it('registers no more often than a rate, and is logged no more often', async () => {
    const bench = await createBench();
    const plugin = createTestDevicePlugin({ resource: 'not valid', devices: [] });
    const answers = new Map<string, number>();
    for (let attempt = 0; attempt < 300; attempt++) {
      const answer = await plugin.register(bench.socket, 'gpu.sock').then(
        () => 'registered',
        (error: Error) => error.message,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    expect([...answers.values()]).toEqual([200, 100]);
    expect([...answers.keys()][1]).toContain('rejected by rate limit');
    expect(bench.logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(50);
    await bench.clock.advance(10_000);
    await bench.plug();
    expect(bench.manager.devices.amounts().allocatable).toEqual({ [GPU]: '2' });
  });

  it('fills the Node object with at most 256 resources by registering and vanishing', async () => {
    const bench = await createBench();
    const { manager, clock } = bench;
    const endpoint = createTestDevicePlugin({ resource: GPU, devices: [] });
    endpoint.fault = (method) => {
      if (method === 'ListAndWatch') throw new Error('gone');
    };
    await endpoint.listen(`${bench.directory}/x.sock`);
    const register = (index: number): Promise<boolean> =>
      createTestDevicePlugin({ resource: `example.com/r${String(index)}`, devices: [] })
        .register(bench.socket, 'x.sock')
        .then(
          () => true,
          () => false,
        );
    const accepted: boolean[] = [];
    for (let index = 0; index < 300; index++) {
      accepted.push(await register(index));
      await clock.advance(100);
    }
    expect(accepted.filter(Boolean)).toHaveLength(256);
    await bench.until(() => Object.keys(manager.devices.amounts().capacity).length === 256);
    await clock.advance(300_000);
    expect(manager.devices.amounts().capacity).toEqual({});
    for (let index = 300; index < 310; index++) expect(await register(index)).toBe(true);
    await clock.advance(301_000);
    await bench.until(() => Object.keys(manager.devices.amounts().capacity).length === 0);
    expect(manager.devices.amounts().removed).toHaveLength(256);
    await endpoint[Symbol.asyncDispose]();
  });
});
