import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as SocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Envelope,
  EnvelopeSchema,
  TaskDeleteSchema,
  TaskExitSchema,
  TaskStartSchema,
} from '../../gen/containerd/events/v1/events_pb.js';
import { containerdHints, ContainerdTimeout, EventsUnsupported, hintOf } from './containerd-hints.ts';

describe('hintOf', () => {
  it.each([
    ['/tasks/start', toBinary(TaskStartSchema, create(TaskStartSchema, { containerId: 'c' })), 'started'],
    ['/tasks/exit', toBinary(TaskExitSchema, create(TaskExitSchema, { containerId: 'c', id: 'c' })), 'stopped'],
    ['/tasks/exit', toBinary(TaskExitSchema, create(TaskExitSchema, { containerId: 'c', id: 'exec-1' })), undefined],
    ['/tasks/delete', toBinary(TaskDeleteSchema, create(TaskDeleteSchema, { containerId: 'c' })), 'stopped'],
    ['/tasks/delete', toBinary(TaskDeleteSchema, create(TaskDeleteSchema, { containerId: 'c', id: 'e' })), undefined],
    ['/tasks/oom', new Uint8Array(), undefined],
  ])('%s', (topic, event, kind) => {
    expect(hintOf(topic, event)).toEqual(kind && { containerId: 'c', kind });
  });
});

describe('containerdHints', () => {
  let folder: string;
  let server: Server;
  let socketPath: string;
  let firstStream: PromiseWithResolvers<ServerWritableStream<Buffer, Envelope>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-events-'));
    socketPath = join(folder, 'containerd.sock');
    firstStream = Promise.withResolvers();
    server = new Server();
  });
  afterEach(async () => {
    server.forceShutdown();
    await rm(folder, { recursive: true, force: true });
  });

  const serve = (serviceName: string): Promise<unknown> => {
    server.addService(
      {
        Subscribe: {
          path: `/${serviceName}/Subscribe`,
          requestStream: false,
          responseStream: true,
          requestSerialize: (bytes: Buffer) => bytes,
          requestDeserialize: (bytes) => bytes,
          responseSerialize: (envelope: Envelope) => Buffer.from(toBinary(EnvelopeSchema, envelope)),
          responseDeserialize: (bytes) => bytes,
        },
      },
      { Subscribe: (call: ServerWritableStream<Buffer, Envelope>) => firstStream.resolve(call) },
    );
    return new Promise((resolve, reject) => {
      server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  };
  const exit = (containerId: string): Envelope =>
    create(EnvelopeSchema, {
      namespace: 'k8s.io',
      topic: '/tasks/exit',
      event: anyPack(TaskExitSchema, create(TaskExitSchema, { containerId, id: containerId })),
    });
  const subscribed = (): Promise<ServerWritableStream<Buffer, Envelope>> => firstStream.promise;

  it('subscribes to the tasks of one namespace, yields hints, and cancels the call when it is aborted', async () => {
    await serve('containerd.services.events.v1.Events');
    const controller = new AbortController();
    const source = containerdHints({ clock: systemClock }, { socketPath });
    expect(source.isComplete).toBe(true);
    const hints = source.open(controller.signal)[Symbol.asyncIterator]();
    const first = hints.next();
    const stream = await subscribed();
    expect(stream.request.toString()).toContain('topic~="^/tasks/(start|exit|delete)$",namespace=="k8s.io"');
    stream.write(exit('c1'));
    stream.write(exit('c2'));
    expect(await first).toEqual({ done: false, value: { containerId: 'c1', kind: 'stopped' } });
    expect(await hints.next()).toEqual({ done: false, value: { containerId: 'c2', kind: 'stopped' } });
    const ended = hints.next();
    const cancelled = new Promise((resolve) => stream.once('cancelled', resolve));
    controller.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
    await cancelled;
  });

  it('throws when the connection is lost', async () => {
    await serve('containerd.services.events.v1.Events');
    const next = containerdHints({ clock: systemClock }, { socketPath })
      .open(new AbortController().signal)
      [Symbol.asyncIterator]()
      .next();
    const outcome = expect(next).rejects.toThrow();
    await subscribed();
    server.forceShutdown();
    await outcome;
  });

  it('throws EventsUnsupported without such a service', async () => {
    await serve('something.else.Events');
    const next = containerdHints({ clock: systemClock }, { socketPath })
      .open(new AbortController().signal)
      [Symbol.asyncIterator]()
      .next();
    const error: unknown = await next.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EventsUnsupported);
    expect(error).toMatchObject({ reason: 'Unsupported' });
  });

  it('throws another error without a socket, which may appear later', async () => {
    const next = containerdHints({ clock: systemClock }, { socketPath })
      .open(new AbortController().signal)
      [Symbol.asyncIterator]()
      .next();
    await expect(next).rejects.not.toBeInstanceOf(EventsUnsupported);
  });

  it('throws ContainerdTimeout when the handshake is not answered, and is not connected meanwhile', async () => {
    const accepted = Promise.withResolvers<Socket>();
    const hung: SocketServer = createServer((socket) => accepted.resolve(socket));
    await new Promise<void>((resolve) => hung.listen(socketPath, resolve));
    const clock = createVirtualClock();
    const hints = containerdHints({ clock }, { socketPath }).open(new AbortController().signal);
    let isConnected = false;
    void hints.connected.then(() => (isConnected = true));
    const next = hints[Symbol.asyncIterator]().next();
    next.catch(() => undefined);
    const socket = await accepted.promise;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await clock.advance(5000);
    await expect(next).rejects.toThrow(ContainerdTimeout);
    await expect(next).rejects.toThrow(`cannot connect to containerd at ${socketPath}: no answer within 5000 ms`);
    await closed;
    expect([isConnected, clock.pendingTimers]).toEqual([false, 0]);
    hung.close();
  });

  it('is connected before the first event, and keeps no timer then', async () => {
    await serve('containerd.services.events.v1.Events');
    const clock = createVirtualClock();
    const controller = new AbortController();
    const hints = containerdHints({ clock }, { socketPath }).open(controller.signal);
    const ended = hints[Symbol.asyncIterator]().next();
    await hints.connected;
    expect(clock.pendingTimers).toBe(0);
    controller.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
  });
});
