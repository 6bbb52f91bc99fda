import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect as netConnect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport, type GrpcTransportOptions } from '@connectrpc/connect-node';
import { type LogFields, noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import {
  type CallOptions,
  ImageServiceDescriptor,
  PodSandboxState,
  type RuntimeService,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import * as v1alpha2 from '@rxlet/cri-api/v1alpha2';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CriServer, type CriServerOptions, serveCri } from './serve-cri.ts';

let folder: string;
let path: string;
let clock: VirtualClock;
let fake: FakeRuntime;
let toDispose: AsyncDisposable[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cri-'));
  path = join(folder, 'cri.sock');
  clock = createVirtualClock();
  fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  toDispose = [fake];
});
afterEach(async () => {
  for (const disposable of toDispose.reverse()) await disposable[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Serves the fake, with some of its methods replaced. */
async function serve(
  methods: Partial<RuntimeService> = {},
  options: Partial<CriServerOptions> = {},
): Promise<CriServer> {
  const runtime = { ...fake.runtime, ...methods };
  const server = await serveCri({ runtime, images: fake.images }, { listen: `unix://${path}`, clock, ...options });
  toDispose.push(server);
  return server;
}

function transport(options: Partial<GrpcTransportOptions> = {}): ReturnType<typeof createGrpcTransport> {
  return createGrpcTransport({
    baseUrl: 'http://localhost',
    nodeOptions: { createConnection: () => netConnect(path) },
    ...options,
  });
}

function runtimeClient(options: Partial<GrpcTransportOptions> = {}): Client<typeof RuntimeServiceDescriptor> {
  return createClient(RuntimeServiceDescriptor, transport(options));
}

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => ConnectError.from(error),
  );
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

describe('serveCri', () => {
  it('serves both ports, in answers as well as in streams', async () => {
    const server = await serve();
    expect(server.address).toBe(`unix://${path}`);
    const runtime = runtimeClient();
    const images = createClient(ImageServiceDescriptor, transport());
    expect(await runtime.version({})).toMatchObject({ runtimeName: 'fake', runtimeApiVersion: 'v1' });
    const { imageRef } = await images.pullImage({ image: { image: 'busybox' } });
    expect((await images.listImages({})).images).toMatchObject([{ id: imageRef }]);
    const ids = [];
    for (const name of ['a', 'b']) {
      const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
      ids.push((await runtime.runPodSandbox({ config: { metadata } })).podSandboxId);
    }
    const streamed = [];
    for await (const message of runtime.streamPodSandboxes({}))
      streamed.push(...message.podSandboxes.map(({ id }) => id));
    expect(streamed).toEqual(ids);
  });

  it('passes code and message of an error on unchanged', async () => {
    await serve({ attach: () => Promise.reject(new ServiceError(StatusCode.Unimplemented, 'no such RPC here')) });
    const error = await errorOf(runtimeClient().containerStatus({ containerId: 'missing' }));
    expect([error.code, error.rawMessage]).toEqual([Code.NotFound, 'container "missing" not found']);
    const unimplemented = await errorOf(runtimeClient().attach({}));
    expect([unimplemented.code, unimplemented.rawMessage]).toEqual([Code.Unimplemented, 'no such RPC here']);
  });

  it('makes an error without a code Internal, and logs it', async () => {
    const logged: LogFields[] = [];
    const logger = { ...noopLogger, error: (_message: string, fields?: LogFields) => void logged.push(fields!) };
    const bug = new TypeError('x is undefined');
    await serve({ version: () => Promise.reject(bug) }, { logger });
    const error = await errorOf(runtimeClient().version({}));
    expect([error.code, error.rawMessage]).toEqual([Code.Internal, 'x is undefined']);
    expect(logged).toEqual([{ rpc: 'Version', error: bug }]);
  });

  it('passes on an error in the middle of a stream after what came before', async () => {
    async function* streamContainers(): ReturnType<RuntimeService['streamContainers']> extends AsyncIterable<infer M>
      ? AsyncGenerator<M>
      : never {
      yield* fake.runtime.streamContainers({});
      throw new ServiceError(StatusCode.DataLoss, 'state file cut short');
    }
    await serve({ streamContainers });
    const error = await errorOf(
      (async () => {
        for await (const _ of runtimeClient().streamContainers({}));
      })(),
    );
    expect([error.code, error.rawMessage]).toEqual([Code.DataLoss, 'state file cut short']);
  });

  it('serves v1alpha2 from the same ports', async () => {
    await serve();
    const runtime = createClient(v1alpha2.RuntimeService, transport());
    const images = createClient(v1alpha2.ImageService, transport());
    expect(await runtime.version({})).toMatchObject({ runtimeName: 'fake', runtimeApiVersion: 'v1alpha2' });
    const { imageRef } = await images.pullImage({ image: { image: 'busybox' } });
    const metadata = { name: 'a', namespace: 'default', uid: 'a', attempt: 0 };
    const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata } });
    const envs = [{ key: 'COLOUR', value: 'grün' }];
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: imageRef }, envs };
    const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig: { metadata } });
    expect((await runtime.listContainers({})).containers).toMatchObject([{ id: containerId, podSandboxId }]);
    expect((await runtimeClient().listContainers({})).containers).toMatchObject([{ id: containerId, podSandboxId }]);
    const error = await errorOf(runtime.containerStatus({ containerId: 'missing' }));
    expect([error.code, error.rawMessage]).toEqual([Code.NotFound, 'container "missing" not found']);
  });

  it('serves responses that are plain objects, in both versions and in streams', async () => {
    const item = {
      id: 'a',
      metadata: { name: 'web', namespace: 'default', uid: '1', attempt: 0 },
      state: PodSandboxState.SANDBOX_READY,
      createdAt: 1n,
      labels: { app: 'web' },
      annotations: {},
      runtimeHandler: '',
    };
    await serve({
      version: async () => ({ version: '0.1.0', runtimeName: 'mine', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      listPodSandbox: async () => ({ items: [item] }),
      async *streamPodSandboxes() {
        yield { podSandboxes: [item] };
      },
    });
    const older = createClient(v1alpha2.RuntimeService, transport());
    expect((await runtimeClient().listPodSandbox({})).items).toMatchObject([item]);
    expect((await older.listPodSandbox({})).items).toMatchObject([{ id: 'a', labels: { app: 'web' } }]);
    expect(await older.version({})).toMatchObject({ runtimeName: 'mine', runtimeApiVersion: 'v1alpha2' });
    for await (const { podSandboxes } of runtimeClient().streamPodSandboxes({}))
      expect(podSandboxes).toMatchObject([item]);
  });

  it.each([
    ['v1', v1alpha2.RuntimeService],
    ['v1alpha2', RuntimeServiceDescriptor],
  ] as const)('answers Unimplemented for every other version if it serves only %s', async (version, absent) => {
    await serve({}, { versions: [version] });
    const error = await errorOf(createClient(absent, transport()).version({}));
    expect([error.code, error.rawMessage]).toEqual([
      Code.Unimplemented,
      `unknown method Version of service ${absent.typeName}`,
    ]);
  });

  it('aborts the signal of a call when its client cancels it, and when its deadline passes', async () => {
    const signals: AbortSignal[] = [];
    let called = Promise.withResolvers<void>();
    const hang = (_request: unknown, options?: CallOptions): Promise<never> => {
      const signal = options!.signal!;
      signals.push(signal);
      called.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    await serve({ version: hang });
    const controller = new AbortController();
    const cancelled = errorOf(runtimeClient().version({}, { signal: controller.signal }));
    await called.promise;
    controller.abort();
    expect((await cancelled).code).toBe(Code.Canceled);
    called = Promise.withResolvers();
    const late = await errorOf(runtimeClient().version({}, { timeoutMs: 20 }));
    expect(late.code).toBe(Code.DeadlineExceeded);
    await called.promise;
    for (const signal of signals)
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signals).toHaveLength(2);
  });

  it('delivers events as they happen, until the client leaves', async () => {
    const streamEnd = Promise.withResolvers<void>();
    await serve({
      getContainerEvents: (request, options) => {
        options!.signal!.addEventListener('abort', () => streamEnd.resolve());
        return fake.runtime.getContainerEvents(request, options);
      },
    });
    const client = runtimeClient();
    const controller = new AbortController();
    const events = client.getContainerEvents({}, { signal: controller.signal })[Symbol.asyncIterator]();
    const first = events.next();
    while (fake.calls.get('getContainerEvents') === undefined) await client.version({});
    const metadata = { name: 'web', namespace: 'default', uid: '1', attempt: 0 };
    const { podSandboxId } = await client.runPodSandbox({ config: { metadata } });
    expect((await first).value).toMatchObject({
      containerId: podSandboxId,
      podSandboxStatus: { metadata: { name: 'web' } },
    });
    controller.abort();
    expect((await errorOf(events.next().then(() => events.next()))).code).toBe(Code.Canceled);
    await streamEnd.promise;
  });

  it('rejects messages beyond the limit in both directions', async () => {
    await serve({}, { maxMessageBytes: 10_000 });
    const client = runtimeClient();
    const config = (size: number): object => ({
      config: {
        metadata: { name: 'web', namespace: 'x', uid: String(size), attempt: 0 },
        annotations: { a: 'x'.repeat(size) },
      },
    });
    expect((await errorOf(client.runPodSandbox(config(20_000)))).code).toBe(Code.ResourceExhausted);
    for (const size of [6000, 6001]) await client.runPodSandbox(config(size));
    expect((await errorOf(client.listPodSandbox({}))).code).toBe(Code.ResourceExhausted);
  });
});

describe('the socket', () => {
  it('is for owner and group only', async () => {
    await serve();
    const stats = await stat(path);
    expect(stats.isSocket()).toBe(true);
    expect(stats.mode & 0o777).toBe(0o660);
  });

  it('replaces a stale one', async () => {
    const server = createServer();
    const elsewhere = join(folder, 'old');
    await new Promise<void>((resolve) => server.listen(elsewhere, resolve));
    // A socket that was moved stays when its server stops, as after a SIGKILL.
    await rename(elsewhere, path);
    await new Promise((resolve) => server.close(resolve));
    expect(await exists(path)).toBe(true);
    await serve();
    expect((await runtimeClient().version({})).runtimeName).toBe('fake');
  });

  it('is not replaced when another process serves it', async () => {
    await serve();
    await expect(serve()).rejects.toMatchObject({ name: 'UnixSocketError', reason: 'InUse', path });
    expect((await runtimeClient().version({})).runtimeName).toBe('fake');
  });

  it('is rejected when its path cannot be used', async () => {
    await writeFile(path, 'precious');
    await expect(serve()).rejects.toMatchObject({ reason: 'NotASocket' });
    const missing = join(folder, 'missing');
    await expect(serve({}, { listen: `unix://${missing}/cri.sock` })).rejects.toThrow(`${missing} does not exist`);
    await expect(serve({}, { listen: `unix:///${'x'.repeat(120)}/s` })).rejects.toMatchObject({
      reason: 'PathTooLong',
    });
  });

  it('is accepted as a path without a scheme', async () => {
    expect((await serve({}, { listen: path })).address).toBe(`unix://${path}`);
    expect((await runtimeClient().version({})).runtimeName).toBe('fake');
  });

  it.each(['tcp://127.0.0.1:1234', 'relative.sock', 'unix://relative.sock', 'unix:///run/', 'unix://', ''])(
    'is rejected for the address "%s"',
    async (listen) => {
      await expect(serve({}, { listen })).rejects.toMatchObject({ name: 'UnsupportedAddressError', address: listen });
    },
  );
});

describe('disposing of the server', () => {
  it('removes the socket, ends streams with Unavailable and lets other calls finish', async () => {
    const open = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const version = async (): ReturnType<RuntimeService['version']> => {
      open.resolve();
      await release.promise;
      return fake.runtime.version({});
    };
    const server = await serve({ version });
    const client = runtimeClient();
    const stream = errorOf(client.getContainerEvents({})[Symbol.asyncIterator]().next());
    while (fake.calls.get('getContainerEvents') === undefined) await client.listPodSandbox({});
    const call = client.version({});
    await open.promise;

    const disposed = server[Symbol.asyncDispose]();
    expect((await stream).code).toBe(Code.Unavailable);
    expect(await exists(path)).toBe(false);
    release.resolve();
    expect((await call).runtimeName).toBe('fake');
    await disposed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('cancels calls that do not finish in time', async () => {
    const open = Promise.withResolvers<AbortSignal>();
    const version = (_request: unknown, options?: CallOptions): Promise<never> => {
      open.resolve(options!.signal!);
      return new Promise(() => undefined);
    };
    const server = await serve({ version }, { drainMs: 500 });
    const call = errorOf(runtimeClient().version({}));
    const signal = await open.promise;
    const disposed = server[Symbol.asyncDispose]();
    while (clock.pendingTimers === 0) await clock.settle();
    await clock.advance(500);
    await disposed;
    await call;
    expect(signal.aborted).toBe(true);
  });

  it('is not delayed by idle connections', async () => {
    const server = await serve();
    const silent = netConnect(path);
    await new Promise((resolve) => silent.once('connect', resolve));
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    await runtimeClient().version({});
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await closed;
  });
});
