import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ContainerState, type RuntimeService } from '@rxlet/cri-api';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { RuntimeManagerOptions } from '../runtime-manager.ts';
import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

const LINKS = '/var/log/containers';

function bench(
  wrap: (runtime: RuntimeService) => RuntimeService = (runtime) => runtime,
  ports: ManagerBenchParts['ports'] = {},
  containerRetention?: RuntimeManagerOptions['containerRetention'],
): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(4), logs: createMemoryLogs() });
  const options = { containerLogsDirectory: LINKS, containerRetention };
  return { ...createManagerBench({ clock, runtime: wrap(fake.runtime), images: fake.images, ports, options }), fake };
}

/** A bench whose runtime never answers the removal of some containers. */
function hangingBench(): { readonly b: Bench; readonly hanging: Set<string> } {
  const hanging = new Set<string>();
  const b = bench((runtime) => ({
    ...runtime,
    removeContainer: (request, options) =>
      hanging.has(request.containerId ?? '') ? new Promise(() => undefined) : runtime.removeContainer(request, options),
  }));
  return { b, hanging };
}

const crashing = testPod({ containers: [{ name: 'main', command: ['false'] }] });
const nothingGone = { allSourcesReady: true, shouldContentBeRemoved: (): boolean => false };
const allGone = { allSourcesReady: true, shouldContentBeRemoved: (): boolean => true };

/** Lets a container crash `times` times. */
async function crash(b: Bench, times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    await b.sync(crashing);
    b.files.put(`/var/log/pods/default_web_uid-web/main/${String(count)}.log`, 'text');
    await b.clock.advance(400_000);
  }
}

async function restartCounts(b: Bench, pod: Pod): Promise<number[]> {
  return (await b.status(pod)).containers.map(({ restartCount }) => restartCount);
}

describe('collectGarbage', () => {
  it('keeps the newest dead instance of each container, and removes the others with their logs', async () => {
    const b = bench();
    await crash(b, 4);
    expect(await restartCounts(b, crashing)).toEqual([3, 2, 1, 0]);
    const { containers } = await b.manager.collectGarbage(nothingGone);
    expect(containers).toHaveLength(3);
    expect(await restartCounts(b, crashing)).toEqual([3]);
    expect(await b.files.nodeFiles.list('/var/log/pods/default_web_uid-web/main')).toEqual(['3.log']);
  });

  it('keeps instances that are too young, and as many others as requested', async () => {
    const b = bench();
    await crash(b, 4);
    await b.manager.collectGarbage({ ...nothingGone, minAgeMs: 1_000_000 });
    expect(await restartCounts(b, crashing)).toEqual([3, 2, 1]);
    await b.manager.collectGarbage({ ...nothingGone, maxPerContainer: 2 });
    expect(await restartCounts(b, crashing)).toEqual([3, 2]);
    await b.manager.collectGarbage({ ...nothingGone, maxPerContainer: 5, maxContainers: 1 });
    expect(await restartCounts(b, crashing)).toEqual([3]);
  });

  it('removes instances from before the wall clock was set back', async () => {
    const b = bench();
    await crash(b, 3);
    b.clock.setWallClock(b.clock.now() - 400 * 86_400_000);
    await b.manager.collectGarbage({ ...nothingGone, minAgeMs: 60_000 });
    expect(await restartCounts(b, crashing)).toEqual([2]);
  });

  it('keeps running containers', async () => {
    const b = bench();
    await b.settle(testPod());
    expect(await b.manager.collectGarbage(allGone)).toMatchObject({ containers: [], sandboxes: [] });
    expect((await b.status(testPod())).containers.map(({ state }) => state)).toEqual(['running']);
  });

  it('removes earlier sandboxes, and the newest one only with its pod', async () => {
    const b = bench();
    const pod = testPod();
    for (let count = 0; count < 2; count++) {
      await b.settle(pod);
      await b.fake.runtime.stopPodSandbox({ podSandboxId: (await b.status(pod)).sandboxes[0]!.id });
    }
    await b.clock.advance(1000);
    await b.manager.collectGarbage(nothingGone);
    expect((await b.status(pod)).sandboxes.map(({ attempt }) => attempt)).toEqual([1]);
    const { sandboxes, containers } = await b.manager.collectGarbage(allGone);
    expect([sandboxes.length, containers.length]).toEqual([1, 1]);
    expect(b.fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
  });

  it('removes the logs of removed pods, once all sources are ready', async () => {
    const b = bench();
    b.files.put('/var/log/pods/default_old_uid-old/app/0.log', 'text');
    b.files.put('/var/log/pods/default_web_uid-web/app/0.log', 'text');
    b.files.put('/var/log/pods/unrelated/file', 'text');
    const isOld = (uid: string): boolean => uid === 'uid-old';
    const early = await b.manager.collectGarbage({ allSourcesReady: false, shouldContentBeRemoved: isOld });
    expect(early.logDirectories).toEqual([]);
    const { logDirectories } = await b.manager.collectGarbage({ allSourcesReady: true, shouldContentBeRemoved: isOld });
    expect(logDirectories).toEqual(['default_old_uid-old']);
    expect(await b.files.nodeFiles.list('/var/log/pods')).toEqual(['default_web_uid-web', 'unrelated']);
  });

  it('removes dangling links, except those of running containers', async () => {
    const b = bench();
    await b.settle(testPod());
    const [live] = (await b.status(testPod())).containers;
    b.files.putLink(`${LINKS}/web_default_app-${live!.id.id}.log`, '/gone');
    b.files.putLink(`${LINKS}/web_default_app-0123456789abcdef.log`, '/gone');
    b.files.putLink(`${LINKS}/strange.log`, '/gone');
    // The id is too short to identify its container.
    b.files.putLink(`${LINKS}/web_default_app-abc.log`, '/gone');
    b.files.put('/there', '');
    b.files.putLink(`${LINKS}/web_default_old-fedcba9876543210.log`, '/there');
    await b.manager.collectGarbage(nothingGone);
    expect((await b.files.nodeFiles.list(LINKS)).toSorted()).toEqual([
      `web_default_app-${live!.id.id}.log`,
      'web_default_old-fedcba9876543210.log',
    ]);
  });

  it('checks the container of a dangling link in the runtime, and keeps the link in doubt', async () => {
    const b = bench();
    await b.settle(testPod());
    const [live] = (await b.status(testPod())).containers;
    const link = `${LINKS}/web_default_app-${live!.id.id}.log`;
    b.files.putLink(link, '/gone');
    b.fake.failNext('containerStatus', new Error('busy'));
    const { failures } = await b.manager.collectGarbage(nothingGone);
    expect(failures).toEqual([{ target: link, message: 'busy' }]);
    expect(await b.files.nodeFiles.list(LINKS)).toHaveLength(1);
    await b.fake.runtime.stopContainer({ containerId: live!.id.id, timeout: 0n });
    await b.manager.collectGarbage(nothingGone);
    expect(await b.files.nodeFiles.list(LINKS)).toEqual([]);
  });

  it('removes dead containers of terminated pods that were not deleted on request, but not their logs', async () => {
    const b = bench();
    await crash(b, 1);
    const ended = { ...nothingGone, shouldRuntimeBeRemoved: (uid: string): boolean => uid === 'uid-web' };
    await b.manager.collectGarbage(ended);
    expect(await restartCounts(b, crashing)).toEqual([0]);
    await b.manager.collectGarbage({ ...ended, allSourcesReady: false, evictNonDeletedPods: true });
    expect(await restartCounts(b, crashing)).toEqual([0]);
    const { containers, logDirectories } = await b.manager.collectGarbage({ ...ended, evictNonDeletedPods: true });
    expect([containers.length, logDirectories.length]).toEqual([1, 0]);
    expect(await restartCounts(b, crashing)).toEqual([]);
  });

  it('keeps any number without a limit', async () => {
    const b = bench();
    await crash(b, 3);
    await b.manager.collectGarbage({ ...nothingGone, maxPerContainer: -1 });
    expect(await restartCounts(b, crashing)).toEqual([2, 1, 0]);
  });

  it('stops a container of unknown state by its annotations before its removal', async () => {
    const { CONTAINER_UNKNOWN } = ContainerState;
    let unsure = false;
    const hooks: unknown[] = [];
    const preStop = { httpGet: { path: '/bye?a&b', port: 'web' } };
    const ports = [{ name: 'web', containerPort: 8080 }];
    const uncertain = (runtime: RuntimeService): RuntimeService => ({
      ...runtime,
      async listContainers(request, options) {
        const { containers, ...rest } = await runtime.listContainers(request, options);
        return {
          ...rest,
          containers: containers.map((container) => (unsure ? { ...container, state: CONTAINER_UNKNOWN } : container)),
        };
      },
    });
    const b = bench(uncertain, {
      hooks: {
        postStart: () => Promise.resolve(),
        preStop: async ({ pod, handler }) => void hooks.push(handler, pod.spec?.containers[0]?.ports),
      },
    });
    await b.settle(testPod({ containers: [{ ports, lifecycle: { preStop } }] }));
    unsure = true;
    await b.clock.advance(1000);
    const { containers } = await b.during(b.manager.collectGarbage({ ...nothingGone, maxPerContainer: 0 }));
    expect(containers).toHaveLength(1);
    expect(b.eventTexts()).toContain('Killing: Container is in unknown state, try killing it before removal');
    expect(hooks).toEqual([preStop, ports]);
    expect(b.fake.snapshot().containers).toEqual([]);
  });

  it('waits once for a pod whose removals hang, and continues with other pods', async () => {
    const { b, hanging } = hangingBench();
    await crash(b, 4);
    for (const { id } of b.fake.snapshot().containers) hanging.add(id);
    const healthy = testPod({ uid: 'uid-healthy', name: 'healthy', containers: crashing.spec!.containers });
    for (let count = 0; count < 3; count++) {
      await b.sync(healthy);
      await b.clock.advance(400_000);
    }
    const startMs = b.clock.now();
    const { containers, failures } = await b.during(b.manager.collectGarbage(nothingGone));
    expect([containers.length, failures.map(({ message }) => message)]).toEqual([2, ['no answer within 120000 ms']]);
    expect(b.clock.now() - startMs).toBeLessThan(2 * 120_000);
    hanging.clear();
    const next = await b.during(b.manager.collectGarbage(nothingGone));
    expect([next.containers.length, next.failures]).toEqual([3, []]);
  });

  it('keeps the containers of a pod that comes back while the removals of another one hang', async () => {
    const { b, hanging } = hangingBench();
    const returning = testPod({ uid: 'uid-returning', name: 'returning', containers: crashing.spec!.containers });
    await b.sync(returning);
    await b.clock.advance(400_000);
    const [first] = b.fake.snapshot().containers;
    await crash(b, 1);
    for (const { id } of b.fake.snapshot().containers) if (id !== first?.id) hanging.add(id);
    const startMs = b.clock.now();
    const shouldContentBeRemoved = (uid: string) => uid === 'uid-web' || b.clock.now() < startMs + 60_000;
    const { containers } = await b.during(b.manager.collectGarbage({ allSourcesReady: true, shouldContentBeRemoved }));
    expect(containers).toEqual([]);
    expect(await restartCounts(b, returning)).toEqual([0]);
  });

  it('continues with other logs when a directory cannot be removed', async () => {
    const b = bench();
    b.files.put('/var/log/pods/default_one_uid-one/app/0.log', 'text');
    b.files.put('/var/log/pods/default_two_uid-two/app/0.log', 'text');
    b.files.putLink(`${LINKS}/one_default_app-0123456789abcdef.log`, '/gone');
    b.files.fault = (operation, path) => {
      if (operation === 'removeTree' && path.includes('one')) throw new Error('EBUSY');
    };
    const { logDirectories, failures } = await b.manager.collectGarbage(allGone);
    expect(logDirectories).toEqual(['default_two_uid-two']);
    expect(failures).toEqual([{ target: '/var/log/pods/default_one_uid-one', message: 'EBUSY' }]);
    expect(await b.files.nodeFiles.list(LINKS)).toEqual([]);
  });

  it('rejects when it is cancelled', async () => {
    const b = bench();
    await crash(b, 3);
    await expect(
      b.manager.collectGarbage({ ...nothingGone, signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect(await restartCounts(b, crashing)).toEqual([2, 1, 0]);
  });

  it('reports a failure and continues', async () => {
    const b = bench();
    await crash(b, 3);
    b.fake.failNext('removeContainer', new Error('stuck'));
    const { containers, failures } = await b.manager.collectGarbage(nothingGone);
    expect(containers).toHaveLength(1);
    expect(failures).toMatchObject([{ message: 'stuck' }]);
  });
});

describe('the retention of the manager', () => {
  it('holds for collections and for the removal after an exit', async () => {
    const b = bench(undefined, undefined, { maxPerContainer: 2 });
    await crash(b, 4);
    await b.manager.trimDeadContainers(await b.status(crashing), 'main');
    expect(await restartCounts(b, crashing)).toEqual([3, 2]);
    await crash(b, 2);
    await b.manager.collectGarbage(nothingGone);
    expect(await restartCounts(b, crashing)).toEqual([5, 4]);
  });

  it('leaves one dead instance after an exit, although collections remove all', async () => {
    const b = bench(undefined, undefined, { maxPerContainer: 0 });
    await crash(b, 2);
    await b.manager.trimDeadContainers(await b.status(crashing), 'main');
    expect(await restartCounts(b, crashing)).toEqual([1]);
    await b.manager.collectGarbage(nothingGone);
    expect(await restartCounts(b, crashing)).toEqual([]);
  });
});

describe('trimDeadContainers', () => {
  it('keeps the newest dead instance, or none', async () => {
    const b = bench();
    await crash(b, 3);
    await b.manager.trimDeadContainers(await b.status(crashing), 'main');
    expect(await restartCounts(b, crashing)).toEqual([2]);
    await b.manager.trimDeadContainers(await b.status(crashing), 'main', { removeAll: true });
    expect(await restartCounts(b, crashing)).toEqual([]);
  });
});
