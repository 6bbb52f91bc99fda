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

/** Has the runtime make another instance, as by a call that nobody waits for any more. @returns its id */
async function createLate({ fake, clock, idOf }: Bench, attempt: number): Promise<string> {
  await clock.advance(1);
  const { status } = await fake.runtime.containerStatus({ containerId: await idOf(pod, 'app') });
  const { image, labels } = status!;
  const annotations = { ...status!.annotations, [ContainerAnnotation.restartCount]: String(attempt) };
  const config = { metadata: { name: 'app', attempt }, image: image!, labels, annotations };
  return (await fake.runtime.createContainer({ podSandboxId: fake.snapshot().sandboxes[0]!.id, config })).containerId;
}

const startEvents = (b: Bench): string[] => b.eventTexts().filter((text) => text.startsWith('Started'));

describe('an instance that was created and not seen to start', () => {
  it('is taken for started when it runs by the time it is to be started', async () => {
    const b = bench();
    const containerId = await createOnly(b);
    const status = await b.status(pod);
    await b.fake.runtime.startContainer({ containerId });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(startEvents(b)).toHaveLength(1);
  });

  it('is taken for started when it runs by the time it is to be replaced', async () => {
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

  it.each([0, 60_000])('has failed when it has ended by then, %s ms later, and is not replaced at once', async (ms) => {
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

  it('is replaced when it is gone by then', async () => {
    const b = bench();
    const containerId = await createOnly(b);
    await b.clock.advance(60_000);
    const status = await b.status(pod);
    await b.fake.runtime.removeContainer({ containerId });
    expect((await b.manager.syncPod(pod, status)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/1 running']);
  });

  it('goes before a newer one is started, as it may be about to start', async () => {
    const b = bench();
    const older = await createOnly(b);
    const newer = await createLate(b, 7);
    expect((await b.sync(pod)).error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['app/7 running']);
    expect(await b.idOf(pod, 'app')).toBe(newer);
    await expect(b.fake.runtime.startContainer({ containerId: older })).rejects.toThrow();
  });

  it.each([0, 60_000])('keeps any other from being started while it cannot be removed, %s ms later', async (ms) => {
    const b = bench({ removeContainer: () => Promise.reject(notToday) });
    await createOnly(b);
    if (ms === 0) await createLate(b, 7);
    await b.clock.advance(ms);
    const before = await b.containers(pod);
    expect((await b.sync(pod)).error?.message).toContain('not today');
    expect(await b.containers(pod)).toEqual(before);
  });

  it('keeps a newer one from being started when it runs by then', async () => {
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

describe('an instance that was made late, while another one runs', () => {
  it('is removed, and the one that runs stays', async () => {
    const b = bench();
    await b.settle(pod);
    await createLate(b, 7);
    expect((await b.sync(pod)).results).toEqual([]);
    expect(await b.containers(pod)).toEqual(['app/0 running']);
    expect(b.eventTexts().filter((text) => text.startsWith('Killing'))).toEqual([]);
  });

  it('is of no account even while it cannot be removed', async () => {
    const b = bench({ removeContainer: () => Promise.reject(notToday) });
    await b.settle(pod);
    await createLate(b, 7);
    expect((await b.sync(pod)).results).toEqual([]);
    expect(await b.containers(pod)).toEqual(['app/0 running', 'app/7 created']);
  });
});
