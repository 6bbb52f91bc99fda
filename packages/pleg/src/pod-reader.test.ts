import { createLifetime, noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { readRuntimePods } from '@rxlet/pod-model/cri';
import { describe, expect, it } from 'vitest';
import { createPodReader } from './pod-reader.ts';
import { createPodStatusCache } from './pod-status-cache.ts';

const uid = 'u';
const labels = {
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'default',
  'io.kubernetes.pod.uid': uid,
};

async function setUp() {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  const { runtime, images } = fake;
  await images.pullImage({ image: { image: 'busybox' } });
  const sandboxConfig = { metadata: { name: 'web', namespace: 'default', uid, attempt: 0 }, labels };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
  const cache = createPodStatusCache();
  const gate = Promise.withResolvers<void>();
  const lifetime = createLifetime();
  const hideIp = { value: false };
  const reader = createPodReader(
    {
      runtime: {
        containerStatus: runtime.containerStatus,
        podSandboxStatus: async (request, options) => {
          await gate.promise;
          const response = await runtime.podSandboxStatus(request, options);
          const { status } = response;
          if (!hideIp.value || status?.network === undefined) return response;
          return { ...response, status: { ...status, network: { ...status.network, ip: '' } } };
        },
      },
      clock,
      logger: noopLogger,
      cache,
      lifetime,
      emit: () => undefined,
      onListedChange: () => undefined,
      onReadFailure: () => undefined,
    },
    { runtimeName: () => 'fake', maxConcurrentReads: 1, readTimeoutMs: 120_000 },
  );
  const list = async () => (await readRuntimePods(runtime, { runtimeName: 'fake' }))[0];
  const startContainer = async () => {
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: 'busybox' },
      labels: { ...labels, 'io.kubernetes.container.name': 'main' },
    };
    const { containerId } = await runtime.createContainer({ podSandboxId, sandboxConfig, config });
    await runtime.startContainer({ containerId });
  };
  return { clock, fake, podSandboxId, cache, reader, list, startContainer, gate, hideIp };
}

describe('a read of a pod', () => {
  it('is no newer than the listing that it is based on, when a later listing comes meanwhile', async () => {
    const { clock, cache, reader, list, startContainer, gate } = await setUp();
    reader.reconcile(uid, await list(), cache.mark());
    await startContainer();
    const afterStart = cache.mark();
    const mark = cache.mark();
    reader.reconcile(uid, await list(), mark);
    cache.setListed(mark);
    const status = cache.getNewerThan(uid, afterStart);
    gate.resolve();
    await clock.settle();
    expect((await status).containers.map(({ name }) => name)).toEqual(['main']);
  });

  it('is no newer than the listing that it is based on, when it begins late', async () => {
    const { clock, cache, reader, list, startContainer, gate } = await setUp();
    const mark = cache.mark();
    const listed = await list();
    await startContainer();
    const afterStart = cache.mark();
    // The listing's answer comes late.
    reader.reconcile(uid, listed, mark);
    let found: unknown;
    void cache.getNewerThan(uid, afterStart).then((status) => (found = status));
    gate.resolve();
    await clock.settle();
    expect(found).toBeUndefined();
    const next = cache.mark();
    reader.reconcile(uid, await list(), next);
    cache.setPodListed(uid, next);
    await clock.settle();
    expect(found).toMatchObject({ containers: [{ name: 'main' }] });
  });

  it('reads a sandbox once, and again when it has stopped or a reinspection is requested', async () => {
    const { clock, cache, reader, list, startContainer, gate, fake, podSandboxId } = await setUp();
    gate.resolve();
    const readCount = async (): Promise<number> => {
      reader.reconcile(uid, await list(), cache.mark());
      await clock.settle();
      return fake.calls.get('podSandboxStatus') ?? 0;
    };
    expect(await readCount()).toBe(1);
    await startContainer();
    expect(await readCount()).toBe(1);
    expect(cache.get(uid)).toMatchObject({ ips: [expect.any(String)], containers: [{ state: 'running' }] });
    reader.reinspect(uid);
    expect(await readCount()).toBe(2);
    fake.failSandbox(podSandboxId);
    expect(await readCount()).toBe(3);
    expect(cache.get(uid).sandboxes).toMatchObject([{ state: 'notready' }]);
  });

  it('reads a sandbox again that had no address yet', async () => {
    const { clock, cache, reader, list, startContainer, gate, hideIp } = await setUp();
    gate.resolve();
    hideIp.value = true;
    reader.reconcile(uid, await list(), cache.mark());
    await clock.settle();
    expect(cache.get(uid).ips).toEqual([]);
    hideIp.value = false;
    await startContainer();
    reader.reconcile(uid, await list(), cache.mark());
    await clock.settle();
    expect(cache.get(uid).ips).toHaveLength(1);
  });

  it('leaves no trace of the pod when it fails after the pod was removed', async () => {
    const { clock, cache, reader, list, gate } = await setUp();
    reader.reconcile(uid, await list(), cache.mark());
    const mark = cache.mark();
    reader.reconcile(uid, undefined, mark);
    cache.setListed(mark);
    gate.reject(new Error('no answer'));
    await clock.settle();
    expect([...reader.unreadable.keys(), ...reader.uids()]).toEqual([]);
    expect(await cache.getNewerThan(uid, mark - 1)).toMatchObject({ containers: [], sandboxes: [] });
  });
});
