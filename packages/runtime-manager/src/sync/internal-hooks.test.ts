import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { InternalHooks } from '../ports.ts';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';

function bench(internalHooks: InternalHooks): ManagerBench & { readonly fake: FakeRuntime } {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: createMemoryLogs() });
  return {
    ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports: { internalHooks } }),
    fake,
  };
}

describe('internal hooks', () => {
  it('see each container before it is made, before it starts, and after it ended', async () => {
    const seen: string[] = [];
    const b = bench({
      preCreate(_pod, { name }, config) {
        seen.push(`preCreate ${name} ${String(b.fake.snapshot().containers.length)}`);
        config.linux!.resources!.cpusetCpus = '2-3';
      },
      preStart: (_pod, { name }, id) => void seen.push(`preStart ${name} ${id}`),
      postStop: (id) => void seen.push(`postStop ${id}`),
    });
    const pod = testPod({ restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] });
    await b.settle(pod);
    const [a, other] = [await b.idOf(pod, 'a'), await b.idOf(pod, 'b')];
    expect(seen).toEqual(['preCreate a 0', `preStart a ${a}`, 'preCreate b 1', `preStart b ${other}`]);
    expect(b.fake.snapshot().containers[0]!.resources?.linux?.cpusetCpus).toBe('2-3');
    seen.length = 0;
    b.fake.exitContainer(a, 0);
    await b.sync(pod);
    expect(seen).toEqual([`postStop ${a}`]);
    await b.manager.killPod(pod, await b.status(pod));
    await b.manager.removePod(await b.status(pod));
    expect(seen.slice(1).sort()).toEqual([`postStop ${a}`, `postStop ${other}`].sort());
  });

  it('keep a container from being made, with the kubelet’s words', async () => {
    let refusal: Error | undefined = new Error('no CPUs left');
    const b = bench({
      preCreate() {
        if (refusal !== undefined) throw refusal;
      },
    });
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    const { error } = await b.sync(pod);
    expect(error?.failures).toEqual([
      { action: 'StartContainer', target: 'app', reason: 'PreCreateHookError', message: 'no CPUs left' },
    ]);
    expect(b.eventTexts()).toContain('Failed: Internal PreCreateContainer hook failed: no CPUs left');
    expect(b.fake.snapshot().containers).toEqual([]);
    expect(await b.files.list('/var/lib/kubelet/pods/uid-web/containers/app')).toEqual([]);
    refusal = undefined;
    expect((await b.settle(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('keep a container from being started', async () => {
    const b = bench({
      preStart(_pod, _container, id) {
        throw new Error(`cannot add ${id}`);
      },
    });
    const { error } = await b.sync(testPod());
    const { id } = b.fake.snapshot().containers[0]!;
    expect(error?.failures[0]).toMatchObject({ reason: 'PreStartHookError', message: `cannot add ${id}` });
    expect(b.eventTexts()).toContain('Failed: Internal PreStartContainer hook failed: cannot add app');
    expect(b.eventTexts()).not.toContain('Created: Container created');
    expect(await b.containers(testPod())).toEqual(['app/0 created']);
  });

  it('that fail after the end are no hindrance', async () => {
    const b = bench({
      postStop() {
        throw new Error('whatever');
      },
    });
    const pod = testPod();
    await b.settle(pod);
    b.fake.exitContainer(await b.idOf(pod, 'app'), 1);
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 exited', 'app/1 running']);
  });
});
