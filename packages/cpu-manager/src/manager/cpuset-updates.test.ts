import { noopLogger } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createCpusetUpdates, type RunningContainer } from './cpuset-updates.ts';

const container = (id: string): RunningContainer => ({ podUid: 'u', name: 'app', id });

function setUp() {
  const world = { running: [] as readonly RunningContainer[], exited: new Set<string>(), cpus: '0-3', mayUse: true };
  const calls: string[] = [];
  const updates = createCpusetUpdates({
    logger: noopLogger,
    runtime: {
      async updateContainerResources({ containerId, linux }) {
        calls.push(`${containerId} ${linux?.cpusetCpus ?? ''}`);
        return {};
      },
    },
    runningContainers: () => world.running,
    hasExited: ({ id }) => world.exited.has(id),
    mayUseCpus: () => world.mayUse,
    cpusOf: () => world.cpus,
  });
  const { signal } = new AbortController();
  return { world, calls, updates, run: () => updates.run(signal) };
}

describe('updates of the CPUs of containers', () => {
  it('update a new container once, however late a relist has it', async () => {
    const { world, calls, updates, run } = setUp();
    updates.created(container('a'), '');
    for (let pass = 0; pass < 3; pass++) await run();
    world.running = [container('a')];
    await run();
    expect(calls).toEqual(['a 0-3']);
  });

  it('follow the present instance of a container', async () => {
    const { world, calls, updates, run } = setUp();
    world.running = [container('a')];
    await run();
    updates.created(container('b'), '0-3');
    await run();
    world.running = [container('b')];
    world.cpus = '2';
    await run();
    expect(calls).toEqual(['a 0-3', 'b 2']);
  });

  it('leave out a container that exits before the first call', async () => {
    const { world, calls, updates, run } = setUp();
    updates.created(container('a'), '');
    world.exited.add('a');
    await run();
    world.exited.clear();
    await run();
    expect(calls).toEqual([]);
  });

  it.each([
    ['its pod has ended', true],
    ['its pod has ended before a relist had it', false],
  ])('forget a container when %s', async (_, isListed) => {
    const { world, calls, updates, run } = setUp();
    updates.created(container('a'), '');
    if (isListed) world.running = [container('a')];
    await run();
    await run();
    world.running = [];
    world.mayUse = false;
    await run();
    world.running = [container('a')];
    await run();
    expect(calls).toEqual(['a 0-3', 'a 0-3']);
  });
});
