import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { ContainerAnnotation } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(runtimeCalls?: Partial<RuntimeService>): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const runtime = { ...fake.runtime, ...runtimeCalls };
  return { ...createManagerBench({ clock, runtime, images: fake.images }), fake };
}

const pod = testPod();
const notToday = new ServiceError(StatusCode.Internal, 'not today');

/** A runtime that holds an instance of the pod's container that was created and not started. @returns its id */
async function createOnly({ fake, sync, idOf }: Bench): Promise<string> {
  fake.failNext('startContainer', notToday);
  await sync(pod);
  return idOf(pod, 'app');
}

/** Creates another instance, as a call does whose caller has given up. @returns its id */
async function createLate({ fake, clock, idOf }: Bench, attempt: number): Promise<string> {
  await clock.advance(1);
  const { status } = await fake.runtime.containerStatus({ containerId: await idOf(pod, 'app') });
  const { image, labels } = status!;
  const annotations = { ...status!.annotations, [ContainerAnnotation.restartCount]: String(attempt) };
  const config = { metadata: { name: 'app', attempt }, image: image!, labels, annotations };
  return (await fake.runtime.createContainer({ podSandboxId: fake.snapshot().sandboxes[0]!.id, config })).containerId;
}

const startEvents = (b: Bench): string[] => b.eventTexts().filter((text) => text.startsWith('Started'));

describe('an unstarted instance', () => {
  it('counts as started if it runs at the time of its start', async () => {
    const b = bench();
    const containerId = await createOnly(b);
    const status = await b.status(pod);
    await b.fake.runtime.startContainer({ containerId });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(startEvents(b)).toHaveLength(1);
  });

  it('counts as started if it runs at the time of its replacement', async () => {
    const b = bench();
    const containerId = await createOnly(b);
    await b.clock.advance(60_000);
    const status = await b.status(pod);
    await b.fake.runtime.startContainer({ containerId });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    expect(await b.idOf(pod, 'app')).toBe(containerId);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(startEvents(b)).toHaveLength(1);
  });

  it.each([0, 60_000])('counts as failed if it has exited %s ms later, and is not replaced at once', async (ms) => {
    const b = bench();
    const containerId = await createOnly(b);
    await b.clock.advance(ms);
    const status = await b.status(pod);
    await b.fake.runtime.startContainer({ containerId });
    b.fake.exitContainer(containerId, 128, 'StartError');
    const { error } = await b.manager.syncPod(pod, status);
    expect(error?.failures[0]).toMatchObject({ reason: 'RunContainerError' });
    expect(await b.containers(pod)).toEqual(['app/0 exited']);
    expect(startEvents(b)).toEqual([]);
  });

  it('is replaced if it no longer exists', async () => {
    const b = bench();
    const containerId = await createOnly(b);
    await b.clock.advance(60_000);
    const status = await b.status(pod);
    await b.fake.runtime.removeContainer({ containerId });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/1 running']);
  });

  it('is removed before a newer one is started, because it may still start', async () => {
    const b = bench();
    const older = await createOnly(b);
    const newer = await createLate(b, 7);
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/7 running']);
    expect(await b.idOf(pod, 'app')).toBe(newer);
    await expect(b.fake.runtime.startContainer({ containerId: older })).rejects.toThrow();
  });

  it.each([0, 60_000])('blocks the start of another instance while it cannot be removed, %s ms later', async (ms) => {
    const b = bench({ removeContainer: () => Promise.reject(notToday) });
    await createOnly(b);
    if (ms === 0) await createLate(b, 7);
    await b.clock.advance(ms);
    const before = await b.containers(pod);
    expect((await b.sync(pod)).error?.message).toContain('not today');
    expect(await b.containers(pod)).toEqual(before);
  });

  it('is left to garbage collection if its removal fails after the last possible start', async () => {
    let removals = 0;
    const b = bench({ removeContainer: () => (removals++, Promise.reject(notToday)) });
    const stuck = await createOnly(b);
    for (let tries = 0; tries < 13; tries++) {
      await b.clock.advance(10_000);
      const { error } = await b.sync(pod);
      if (error === undefined) break;
      expect(error.message).toContain('not today');
      expect(await b.containers(pod)).toEqual(['app/0 created']);
    }
    expect(await b.containers(pod)).toEqual(['app/0 created', 'app/1 running']);
    expect(await b.idOf(pod, 'app')).not.toBe(stuck);
    removals = 0;
    expect((await b.sync(pod)).results).toEqual([]);
    b.fake.exitContainer(await b.idOf(pod, 'app'), 1);
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 created', 'app/1 exited', 'app/2 running']);
    expect(removals).toBe(0);
  });

  it('blocks the start of another instance while it runs in an earlier sandbox', async () => {
    const b = bench({ removeContainer: () => Promise.reject(notToday) });
    const containerId = await createOnly(b);
    await b.clock.advance(1_000_000);
    const status = await b.status(pod);
    const [container] = status.containers;
    await b.fake.runtime.startContainer({ containerId });
    const former = { ...status, containers: [{ ...container!, sandboxId: 'former' }] };
    expect((await b.manager.syncPod(pod, former)).error?.message).toContain('not today');
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });

  it('is replaced when the wall clock was set back after it was created', async () => {
    const b = bench();
    await createOnly(b);
    b.clock.setWallClock(b.clock.now() - 3_600_000);
    b.fake.failNext('startContainer', notToday);
    await b.sync(pod);
    expect(await b.containers(pod)).toEqual(['app/1 created']);
  });

  it('blocks the start of a newer instance if it runs', async () => {
    const b = bench();
    const older = await createOnly(b);
    await createLate(b, 7);
    const status = await b.status(pod);
    await b.fake.runtime.startContainer({ containerId: older });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    await b.settle(pod);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
  });
});

describe('a stray instance beside a running one', () => {
  it('is removed, and the running instance is kept', async () => {
    const b = bench();
    await b.settle(pod);
    await createLate(b, 7);
    expect((await b.sync(pod)).results).toEqual([]);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(b.eventTexts().filter((text) => text.startsWith('Killing'))).toEqual([]);
  });

  it('is ignored even while it cannot be removed', async () => {
    const b = bench({ removeContainer: () => Promise.reject(notToday) });
    await b.settle(pod);
    await createLate(b, 7);
    expect((await b.sync(pod)).results).toEqual([]);
    expect(await b.containers(pod)).toEqual(['app/0 running', 'app/7 created']);
  });
});
