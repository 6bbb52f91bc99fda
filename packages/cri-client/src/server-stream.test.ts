import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CriError } from './cri-error.ts';
import { failureOf, testClient } from './test-support/test-client.ts';
import { startCriServer, type StreamCall, temporaryFolder } from './test-support/test-servers.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'cri.sock');
});
afterAll(() => folder[Symbol.asyncDispose]());

const serveEvents = (getContainerEvents: (call: StreamCall) => void) =>
  startCriServer(path, { runtime: { getContainerEvents } });

/** Sends one event and then stays silent. */
function oneEventHandler() {
  const canceled = Promise.withResolvers<void>();
  const handler = (call: StreamCall): void => {
    call.on('cancelled', canceled.resolve);
    call.write({ containerId: '0' });
  };
  return { handler, canceled: canceled.promise };
}

describe('a server stream', () => {
  it('iterates over the messages and ends with the call', async () => {
    await using _server = await serveEvents((call) => {
      for (let index = 0; index < 500; index++) call.write({ containerId: String(index) });
      call.end();
    });
    await using client = testClient(path);
    const ids: string[] = [];
    for await (const event of client.runtime.getContainerEvents({})) ids.push(event.containerId);
    expect(ids).toEqual(Array.from({ length: 500 }, (_, index) => String(index)));
  });

  it('sends nothing before the first next(), and a call for each iteration', async () => {
    let calls = 0;
    await using _server = await serveEvents((call) => {
      calls++;
      call.end();
    });
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({});
    await client.runtime.version({}).catch(() => undefined);
    expect(calls).toBe(0);
    for await (const _event of events);
    for await (const _event of events);
    expect(calls).toBe(2);
  });

  it('makes the server wait when the consumer is slow', async () => {
    const blocked = Promise.withResolvers<void>();
    let written = 0;
    const total = 2000;
    await using _server = await serveEvents((call) => {
      const write = (): void => {
        while (written < total) {
          written++;
          if (!call.write({ containerId: 'x'.repeat(10_000) })) {
            blocked.resolve();
            call.once('drain', write);
            return;
          }
        }
        call.end();
      };
      write();
    });
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await events.next();
    await blocked.promise;
    // Enough turns of both sides for the server to write everything without flow control.
    for (let turn = 0; turn < 300; turn++) await client.runtime.version({}).catch(() => undefined);
    expect(written).toBeLessThan(total / 4);
    let received = 1;
    while (!(await events.next()).done) received++;
    expect(received).toBe(total);
  });

  it('cancels the call when the loop is left', async () => {
    const { handler, canceled } = oneEventHandler();
    await using _server = await serveEvents(handler);
    const metrics = recordingMetrics();
    await using client = testClient(path, { metrics });
    for await (const event of client.runtime.getContainerEvents({})) {
      expect(event.containerId).toBe('0');
      break;
    }
    await canceled;
    expect(Object.fromEntries(metrics.values)).toEqual({
      'kubelet_runtime_operations_total{operation_type="get_container_events"}': 1,
    });
  });

  it('settles a pending next() when return() is called', async () => {
    const { handler, canceled } = oneEventHandler();
    await using _server = await serveEvents(handler);
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    expect(await events.return!()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await canceled;
  });

  it('serves several next() at once in their order', async () => {
    await using _server = await serveEvents((call) => {
      for (const containerId of ['a', 'b']) call.write({ containerId });
      call.end();
    });
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const results = await Promise.all([events.next(), events.next(), events.next(), events.next()]);
    expect(results.map(({ value }) => (value as { containerId: string } | undefined)?.containerId)).toEqual([
      'a',
      'b',
      undefined,
      undefined,
    ]);
  });

  it('yields all messages before the error that follows them, and the error once', async () => {
    await using _server = await serveEvents((call) => {
      call.write({ containerId: 'a' });
      call.emit('error', { code: status.INTERNAL, details: 'broken' });
    });
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ containerId: 'a' });
    expect(await failureOf(events.next())).toMatchObject({
      kind: 'rejected',
      code: StatusCode.Internal,
      method: 'GetContainerEvents',
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('rejects when the runtime has no such stream', async () => {
    await using _server = await startCriServer(path, { runtime: {} });
    await using client = testClient(path);
    expect(await failureOf(client.runtime.getContainerEvents({})[Symbol.asyncIterator]().next())).toMatchObject({
      kind: 'unimplemented',
    });
  });

  it('has no default deadline, and respects that of the caller', async () => {
    const { handler, canceled } = oneEventHandler();
    await using _server = await serveEvents(handler);
    const clock = createVirtualClock();
    await using client = testClient(path, { clock });
    const endless = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await endless.next();
    expect(clock.pendingTimers).toBe(0);
    await endless.return!();
    await canceled;

    const events = client.runtime.getContainerEvents({}, { timeoutMs: 5000 })[Symbol.asyncIterator]();
    await events.next();
    const waiting = failureOf(events.next());
    await clock.advance(5000);
    expect(await waiting).toMatchObject({ kind: 'deadline' });
  });

  it('ends with an error when its signal aborts, even without a pending next()', async () => {
    const { handler, canceled } = oneEventHandler();
    await using _server = await serveEvents(handler);
    await using client = testClient(path);
    const controller = new AbortController();
    const reason = new Error('enough');
    const outcome = await (async () => {
      for await (const _event of client.runtime.getContainerEvents({}, { signal: controller.signal }))
        controller.abort(reason);
    })().catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(CriError);
    expect(outcome).toMatchObject({ kind: 'canceled', cause: reason });
    await canceled;
  });

  it('ends as unavailable when the server dies', async () => {
    const { handler } = oneEventHandler();
    const server = await serveEvents(handler);
    await using client = testClient(path);
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await events.next();
    const waiting = failureOf(events.next());
    await server[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ kind: 'unavailable', code: StatusCode.Unavailable });
  });
});
