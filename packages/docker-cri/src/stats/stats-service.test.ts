import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../backend.ts';
import { createContainers } from '../engine/containers.ts';
import { type Answer, createFakeDocker } from '../test-support/fake-docker.ts';
import { statsHandlers } from './stats-service.ts';

const { signal } = new AbortController();
const Labels = { 'io.kubernetes.docker.type': 'podsandbox' };
const HostConfig = { NetworkMode: 'host' };
const STATS = {
  read: '2026-01-01T00:00:00Z',
  cpu_stats: { cpu_usage: { total_usage: 5 } },
  memory_stats: { usage: 7 },
  pids_stats: { current: 1 },
};

/** The statistics of sandboxes that Docker lists. Those of `removed` are gone when they are looked up. */
async function setUp(listed: readonly string[], removed: readonly string[]) {
  const docker = await createFakeDocker((request): Answer => {
    const [, , id = '', rest] = request.split('/');
    if (removed.includes(id)) return [404, { message: 'no such container' }];
    if (rest === 'stats') return [200, STATS];
    return [200, { Id: id, Created: '2026-01-01T00:00:00Z', Config: { Labels }, HostConfig, State: { Running: true } }];
  });
  const sandboxes = listed.map((Id) => {
    const Names = [`/k8s_POD_${Id}_default_uid-${Id}_0`];
    return { Id, Names, Created: 1, State: 'running', Labels, HostConfig };
  });
  const backend = {
    engine: docker.engine,
    containers: {
      ...createContainers(docker.engine),
      list: async (type: string) => (type === 'podsandbox' ? sandboxes : []),
    },
    checkpoints: { list: async () => [] },
    clock: createVirtualClock(),
  } as unknown as Backend;
  const handlers = statsHandlers(backend);
  return {
    [Symbol.asyncDispose]: () => docker[Symbol.asyncDispose](),
    list: async () => (await handlers.listPodSandboxStats!({} as never, signal)).stats ?? [],
  };
}

describe('ListPodSandboxStats', () => {
  it('leaves out a sandbox that is removed meanwhile', async () => {
    await using service = await setUp(['web', 'gone', 'db'], ['gone']);
    const stats = await service.list();
    expect(stats.map(({ attributes, linux }) => [attributes?.id, linux?.cpu?.usageCoreNanoSeconds?.value])).toEqual([
      ['web', 5n],
      ['db', 5n],
    ]);
  });
});
