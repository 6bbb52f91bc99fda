import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { type CallOptions, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { type CriServer, type CriServerOptions, serveCri } from '@rxlet/cri-server';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CriClient } from './create-cri-client.ts';
import { CapabilityMissing } from './cri-error.ts';
import { hasUnknownOutcome } from './outcome.ts';
import { failureOf, stateIs, testClient } from './test-support/test-client.ts';
import { temporaryFolder } from './test-support/test-servers.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
let fake: FakeRuntime;

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'cri.sock');
  fake = createFakeRuntime({ clock: systemClock, random: seededRandom(1), logs: discardLogs });
});
afterEach(async () => {
  await fake[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const serve = (versions: CriServerOptions['versions'], methods: Partial<RuntimeService> = {}): Promise<CriServer> =>
  serveCri(
    { runtime: { ...fake.runtime, ...methods }, images: fake.images },
    { listen: `unix://${path}`, drainMs: 10, ...(versions === undefined ? {} : { versions }) },
  );

const sandbox = { metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 } };

async function liveThroughAPod({ runtime, images }: CriClient): Promise<void> {
  const { imageRef } = await images.pullImage({ image: { image: 'busybox' } });
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandbox });
  const value = new TextEncoder().encode('grün');
  const { containerId } = await runtime.createContainer({
    podSandboxId,
    sandboxConfig: sandbox,
    config: { metadata: { name: 'main', attempt: 0 }, image: { image: imageRef }, envs: [{ key: 'COLOUR', value }] },
  });
  await runtime.startContainer({ containerId });
  expect((await runtime.listContainers({})).containers).toMatchObject([{ id: containerId, podSandboxId }]);
  expect((await runtime.containerStatus({ containerId })).status).toMatchObject({ id: containerId });
  expect(await failureOf(runtime.containerStatus({ containerId: 'missing' }))).toMatchObject({
    code: StatusCode.NotFound,
  });
  await runtime.stopContainer({ containerId, timeout: 0n });
  await runtime.removeContainer({ containerId });
  await runtime.stopPodSandbox({ podSandboxId });
  await runtime.removePodSandbox({ podSandboxId });
  expect((await runtime.listPodSandbox({})).items).toEqual([]);
}

describe('the version of the CRI', () => {
  it.each([
    ['v1alpha2', ['v1alpha2']],
    ['v1', ['v1']],
    ['v1', ['v1', 'v1alpha2']],
  ] as const)('is %s with a runtime that serves %j, through the whole life of a pod', async (version, versions) => {
    await using _server = await serve(versions);
    await using client = testClient(path);
    expect(client.apiVersion()).toBeUndefined();
    await liveThroughAPod(client);
    expect(client.capabilities()).toMatchObject({ runtimeApiVersion: version, imageApiVersion: version });
    expect(client.apiVersion()).toBe(version);
    expect((await client.runtime.version({})).runtimeApiVersion).toBe(version);
  });

  it('is found with an RPC that v1alpha2 does not have, too', async () => {
    await using _server = await serve(['v1alpha2']);
    await using client = testClient(path);
    const error = await failureOf(client.runtime.runtimeConfig({}));
    expect(error).toBeInstanceOf(CapabilityMissing);
    expect(client.apiVersion()).toBe('v1alpha2');
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    expect(await failureOf(events.next())).toMatchObject({ name: 'CapabilityMissing', cached: true });
  });

  it('stays v1 when one RPC is missing first', async () => {
    await using _server = await serve(undefined, {
      runtimeConfig: () => Promise.reject(new ServiceError(StatusCode.Unimplemented, 'unknown method RuntimeConfig')),
    });
    await using client = testClient(path);
    expect(await failureOf(client.runtime.runtimeConfig({}))).toBeInstanceOf(CapabilityMissing);
    expect(client.apiVersion()).toBe('v1');
  });

  it('is negotiated again after a reconnect', async () => {
    await using client = testClient(path);
    {
      await using _old = await serve(['v1alpha2']);
      await client.runtime.version({});
      expect(client.apiVersion()).toBe('v1alpha2');
      expect(client.capabilities().rpcs).toMatchObject({ Version: 'yes', RuntimeConfig: 'no', Status: 'unknown' });
    }
    await using _upgraded = await serve(undefined);
    await stateIs(client.state$, 'ready');
    expect(client.capabilities().rpcs).toMatchObject({ Version: 'unknown', RuntimeConfig: 'unknown' });
    await client.runtime.version({});
    expect(client.apiVersion()).toBe('v1');
  });
});

describe('a missing capability', () => {
  it('is requested once, and distinguished from a rejection', async () => {
    let calls = 0;
    await using _server = await serve(undefined, {
      podSandboxStats: () => {
        calls++;
        return Promise.reject(new ServiceError(StatusCode.Unimplemented, 'not there'));
      },
    });
    await using client = testClient(path);
    const first = await failureOf(client.runtime.podSandboxStats({}));
    const second = await failureOf(client.runtime.podSandboxStats({}));
    expect(calls).toBe(1);
    expect(first).toMatchObject({ kind: 'unimplemented', cached: false, details: 'not there', outcome: 'none' });
    expect(second).toMatchObject({ kind: 'unimplemented', cached: true, code: StatusCode.Unimplemented });
  });

  it('is found by probing RPCs without effects', async () => {
    await using _server = await serve(undefined, {
      listMetricDescriptors: () => Promise.reject(new ServiceError(StatusCode.Unimplemented, 'not there')),
    });
    await using client = testClient(path);
    expect((await client.probeCapabilities()).rpcs).toMatchObject({
      Status: 'yes',
      ContainerStatus: 'yes',
      ListImages: 'yes',
      ListMetricDescriptors: 'no',
      RunPodSandbox: 'unknown',
      GetContainerEvents: 'unknown',
    });
  });
});

describe('the outcome of a failed call', () => {
  const hang = (_request: unknown, options?: CallOptions): Promise<never> =>
    new Promise((_, reject) =>
      options?.signal?.addEventListener('abort', () => reject(options.signal!.reason as Error)),
    );

  it('is unknown after the deadline of a call with effects', async () => {
    await using _server = await serve(undefined, { runPodSandbox: hang, status: hang });
    await using client = testClient(path);
    await client.runtime.version({});
    const error = await failureOf(client.runtime.runPodSandbox({ config: sandbox }, { timeoutMs: 20 }));
    expect(error).toMatchObject({ kind: 'deadline', outcome: 'unknown' });
    expect(hasUnknownOutcome(error)).toBe(true);
    expect(await failureOf(client.runtime.status({}, { timeoutMs: 20 }))).toMatchObject({
      kind: 'deadline',
      outcome: 'none',
    });
  });

  it('is unknown when it was canceled or its connection lost after it was sent', async () => {
    const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    const server = await serve(undefined, {
      removePodSandbox(request, options) {
        reached[calls++]!.resolve();
        return hang(request, options);
      },
    });
    await using client = testClient(path);
    const controller = new AbortController();
    const canceled = failureOf(client.runtime.removePodSandbox({}, { signal: controller.signal }));
    await reached[0]!.promise;
    controller.abort();
    expect(await canceled).toMatchObject({ kind: 'canceled', outcome: 'unknown' });
    const lost = failureOf(client.runtime.removePodSandbox({}));
    await reached[1]!.promise;
    await server[Symbol.asyncDispose]();
    expect(hasUnknownOutcome(await lost)).toBe(true);
  });

  it('is none when it was not sent, and rejected when the runtime rejected it', async () => {
    await using client = testClient(path);
    expect(await failureOf(client.runtime.runPodSandbox({}))).toMatchObject({
      kind: 'socket-missing',
      outcome: 'none',
    });
    expect(await failureOf(client.runtime.runPodSandbox({}, { signal: AbortSignal.abort() }))).toMatchObject({
      outcome: 'none',
    });
    await using _server = await serve(undefined);
    await stateIs(client.state$, 'ready');
    expect(await failureOf(client.runtime.startContainer({ containerId: 'x' }))).toMatchObject({ outcome: 'rejected' });
  });
});
