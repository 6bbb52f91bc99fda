import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { type sendUnaryData, status } from '@grpc/grpc-js';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { isNotFound, StatusCode } from '@rxlet/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CriClientOptions } from './create-cri-client.ts';
import { failureOf, testClient } from './test-support/test-client.ts';
import {
  type CriHandlers,
  startCriServer,
  temporaryFolder,
  type UnaryServerCall,
} from './test-support/test-servers.ts';

type Reply = sendUnaryData<object>;

const MIB = 1024 * 1024;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'cri.sock');
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Creates a handler that never answers, with promises of its call and cancellation. */
function hangingHandler() {
  const called = Promise.withResolvers<void>();
  const canceled = Promise.withResolvers<void>();
  const handler = (call: UnaryServerCall): void => {
    call.on('cancelled', canceled.resolve);
    called.resolve();
  };
  return { handler, called: called.promise, canceled: canceled.promise };
}

const answering = (answer: object | Buffer): CriHandlers => ({
  runtime: { version: (_call: UnaryServerCall, reply: Reply) => reply(null, answer) },
});

describe('a unary call', () => {
  it('sends the request and resolves with the answer as messages', async () => {
    await using _server = await startCriServer(path, {
      runtime: {
        podSandboxStatus(call: UnaryServerCall, reply: Reply) {
          expect(call.request).toMatchObject({ podSandboxId: 'abc', verbose: true });
          reply(null, { status: { id: 'abc', createdAt: 1_700_000_000_000_000_001n, labels: { a: 'b' } } });
        },
      },
    });
    await using client = testClient(path);
    const { status } = await client.runtime.podSandboxStatus({ podSandboxId: 'abc', verbose: true });
    expect(status).toMatchObject({ id: 'abc', createdAt: 1_700_000_000_000_000_001n, labels: { a: 'b' } });
  });

  it('carries its headers, and no others', async () => {
    const seen: object[] = [];
    const version = (call: UnaryServerCall, reply: Reply): void => {
      const { traceparent, tracestate } = call.metadata.getMap();
      seen.push({ traceparent, tracestate });
      reply(null, {});
    };
    await using _server = await startCriServer(path, { runtime: { version } });
    await using client = testClient(path);
    await client.runtime.version({}, { headers: { traceparent: '00-1-2-01' } });
    await client.runtime.version({});
    expect(seen).toEqual([
      { traceparent: '00-1-2-01', tracestate: undefined },
      { traceparent: undefined, tracestate: undefined },
    ]);
  });

  it('returns bytes as a plain Uint8Array', async () => {
    await using _server = await startCriServer(path, {
      runtime: { execSync: (_call: UnaryServerCall, reply: Reply) => reply(null, { stdout: Buffer.from('hi\n') }) },
    });
    await using client = testClient(path);
    const { stdout } = await client.runtime.execSync({});
    expect(stdout).toEqual(Uint8Array.from([104, 105, 10]));
    expect(Buffer.isBuffer(stdout)).toBe(false);
  });

  it("rejects with the runtime's error", async () => {
    await using _server = await startCriServer(path, {
      runtime: {
        containerStatus: (_call: UnaryServerCall, reply: Reply) =>
          reply({ code: status.NOT_FOUND, details: 'no container "x"' }),
      },
    });
    await using client = testClient(path);
    const error = await failureOf(client.runtime.containerStatus({ containerId: 'x' }));
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({
      kind: 'rejected',
      method: 'ContainerStatus',
      endpoint: `unix://${path}`,
      details: 'no container "x"',
    });
  });

  it('distinguishes an RPC that the runtime lacks from a server without CRI v1', async () => {
    await using _server = await startCriServer(path, { runtime: {} });
    await using client = testClient(path);
    expect((await failureOf(client.runtime.checkpointContainer({}))).kind).toBe('unimplemented');
    expect((await failureOf(client.runtime.version({}))).kind).toBe('not-a-cri');
    expect((await failureOf(client.images.listImages({}))).kind).toBe('not-a-cri');
  });

  it('reports a runtime that is still starting', async () => {
    let started = false;
    await using _server = await startCriServer(path, {
      runtime: {
        version: (_call: UnaryServerCall, reply: Reply) =>
          started
            ? reply(null, { runtimeName: 'x' })
            : reply({ code: status.UNAVAILABLE, details: 'server is not initialized yet' }),
      },
    });
    await using client = testClient(path);
    expect(await failureOf(client.runtime.version({}))).toMatchObject({
      kind: 'runtime-not-ready',
      code: StatusCode.Unavailable,
    });
    started = true;
    expect((await client.runtime.version({})).runtimeName).toBe('x');
  });

  it('rejects an answer that cannot be decoded', async () => {
    await using _server = await startCriServer(path, answering(Buffer.from([0x0a, 0xff])));
    await using client = testClient(path);
    expect(await failureOf(client.runtime.version({}))).toMatchObject({ kind: 'not-a-cri', code: StatusCode.Internal });
  });

  it('rejects a request that cannot be encoded, without sending it', async () => {
    await using client = testClient(path);
    const error = await failureOf(
      client.runtime.stopContainer({ containerId: 'x', timeout: 1.5 as unknown as bigint }),
    );
    expect(error).toMatchObject({ kind: 'rejected', code: StatusCode.InvalidArgument });
    expect(error.message).toContain('the request was not sent');
  });
});

describe('the deadline', () => {
  async function deadlineCase(
    call: (client: ReturnType<typeof testClient>) => Promise<unknown>,
    options: Partial<CriClientOptions> = {},
  ) {
    const hanging = hangingHandler();
    const handlers = { version: hanging.handler, runPodSandbox: hanging.handler, stopContainer: hanging.handler };
    const clock = createVirtualClock();
    await using _server = await startCriServer(path, { runtime: handlers, images: { pullImage: hanging.handler } });
    await using client = testClient(path, { clock }, options);
    let error: unknown;
    void call(client).catch((reason: unknown) => (error = reason));
    await hanging.called;
    await clock.settle();
    return await waitForDeadline();

    /** Returns the time until the call fails and the server is notified; `undefined` if it takes more than a day. */
    async function waitForDeadline(): Promise<{ afterMs: number; error: unknown } | undefined> {
      const startMs = clock.monotonicNow();
      if (clock.pendingTimers === 0) return undefined;
      await clock.runUntil(() => error !== undefined, 24 * 3600_000);
      await hanging.canceled;
      return { afterMs: clock.monotonicNow() - startMs, error };
    }
  }

  it('is two minutes by the injected clock; the server sees the cancellation', async () => {
    const outcome = await deadlineCase((client) => client.runtime.version({}));
    expect(outcome).toMatchObject({
      afterMs: 120_000,
      error: { kind: 'deadline', code: StatusCode.DeadlineExceeded, method: 'Version' },
    });
  });

  it('is twice that for RunPodSandbox', async () => {
    expect(await deadlineCase((client) => client.runtime.runPodSandbox({}))).toMatchObject({ afterMs: 240_000 });
  });

  it("is the request's grace period and the default for StopContainer", async () => {
    const outcome = await deadlineCase((client) => client.runtime.stopContainer({ timeout: 30n }), {
      timeoutMs: 10_000,
    });
    expect(outcome).toMatchObject({ afterMs: 40_000 });
  });

  it("is the caller's if there is one", async () => {
    expect(await deadlineCase((client) => client.runtime.runPodSandbox({}, { timeoutMs: 1500 }))).toMatchObject({
      afterMs: 1500,
    });
  });

  it.each([0, Infinity])('is none for a caller’s deadline of %d', async (timeoutMs) => {
    expect(await deadlineCase((client) => client.runtime.version({}, { timeoutMs }))).toBeUndefined();
  });

  it('is none for PullImage, and for all when the default is none', async () => {
    expect(await deadlineCase((client) => client.images.pullImage({}))).toBeUndefined();
    expect(await deadlineCase((client) => client.runtime.version({}), { timeoutMs: 0 })).toBeUndefined();
  });
});

describe('cancellation', () => {
  it("ends the call with the signal's reason as the cause, and the server's too", async () => {
    const hanging = hangingHandler();
    await using _server = await startCriServer(path, { runtime: { version: hanging.handler } });
    const clock = createVirtualClock();
    await using client = testClient(path, { clock });
    const controller = new AbortController();
    const call = failureOf(client.runtime.version({}, { signal: controller.signal }));
    await hanging.called;
    const reason = new Error('the pod is gone');
    controller.abort(reason);
    expect(await call).toMatchObject({ kind: 'canceled', code: StatusCode.Canceled, cause: reason });
    await hanging.canceled;
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends nothing when the signal has aborted before', async () => {
    await using client = testClient(path);
    const error = await failureOf(client.runtime.version({}, { signal: AbortSignal.abort('no more') }));
    expect(error).toMatchObject({ kind: 'canceled', cause: 'no more' });
  });

  it('leaves no listener on a signal that outlives the call', async () => {
    await using _server = await startCriServer(path, answering({}));
    await using client = testClient(path);
    const controller = new AbortController();
    await client.runtime.version({}, { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('message sizes', () => {
  const stdout = (bytes: number): CriHandlers => ({
    runtime: { execSync: (_call: UnaryServerCall, reply: Reply) => reply(null, { stdout: Buffer.alloc(bytes) }) },
  });

  it('may be more than the 4 MiB that gRPC has by default', async () => {
    await using _server = await startCriServer(path, stdout(10 * MIB));
    await using client = testClient(path);
    expect((await client.runtime.execSync({})).stdout).toHaveLength(10 * MIB);
  });

  it('limit answers to 16 MiB, and keep the connection after a larger one', async () => {
    let bytes = 16 * MIB + 1;
    await using _server = await startCriServer(path, {
      runtime: { execSync: (_call: UnaryServerCall, reply: Reply) => reply(null, { stdout: Buffer.alloc(bytes) }) },
    });
    await using client = testClient(path);
    const error = await failureOf(client.runtime.execSync({}));
    expect(error).toMatchObject({ kind: 'rejected', code: StatusCode.ResourceExhausted });
    expect(error.message).toContain('larger than maxMessageBytes allows');
    bytes = 1;
    expect((await client.runtime.execSync({})).stdout).toHaveLength(1);
  });

  it('limit requests to 16 MiB on the side of the client', async () => {
    await using client = testClient(path);
    const error = await failureOf(client.runtime.execSync({ containerId: 'x'.repeat(16 * MIB) }));
    expect(error).toMatchObject({ kind: 'rejected', code: StatusCode.ResourceExhausted });
    expect(error.message).toContain('maxMessageBytes is 16777216');
  });
});

describe('metrics', () => {
  it('count each call that was made under its operation type', async () => {
    await using _server = await startCriServer(path, answering({}));
    const metrics = recordingMetrics();
    await using client = testClient(path, { metrics });
    await client.runtime.version({});
    await failureOf(client.runtime.status({}));
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_runtime_operations_total{operation_type="version"}': 1,
      'kubelet_runtime_operations_total{operation_type="status"}': 1,
      'kubelet_runtime_operations_errors_total{operation_type="status"}': 1,
    });
    expect(metrics.observed('kubelet_runtime_operations_duration_seconds{operation_type="version"}')).toHaveLength(1);
  });
});
