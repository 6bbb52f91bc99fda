import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { sendUnaryData } from '@grpc/grpc-js';
import { createVirtualClock, recordingLogger, type RecordingLogger } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { firstValueFrom, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCriClient } from './create-cri-client.ts';
import type { SocketFinding, SocketProbe } from './socket-probe.ts';
import { failureOf, stateIs, testClient, untilReconnectIsDue } from './test-support/test-client.ts';
import {
  type CriHandlers,
  startCriServer,
  startRawServer,
  type StreamCall,
  temporaryFolder,
  type UnaryServerCall,
} from './test-support/test-servers.ts';

type Reply = sendUnaryData<object>;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'cri.sock');
});
afterEach(() => folder[Symbol.asyncDispose]());

const logged = ({ lines }: RecordingLogger): string[] => lines.map(({ level, message }) => `${level}: ${message}`);

const runtimeNamed = (runtimeName: string): CriHandlers => ({
  runtime: { version: (_call: UnaryServerCall, reply: Reply) => reply(null, { runtimeName }) },
});

function startScript(name: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  const script = fileURLToPath(new URL(`./test-support/${name}`, import.meta.url));
  return spawn(process.execPath, ['--conditions=@rxlet/source', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('endpoints', () => {
  it('fail the creation of the client when malformed', () => {
    expect(() => testClient('x', {}, { endpoint: 'tcp://localhost:1' })).toThrow(
      expect.objectContaining({ kind: 'invalid-endpoint' }),
    );
    expect(() => testClient('/x', {}, { imageEndpoint: 'x.sock' })).toThrow('--image-service-endpoint');
  });

  it('without a scheme work, with a warning that names the right form', async () => {
    await using _server = await startCriServer(path, runtimeNamed('x'));
    const logger = recordingLogger();
    await using client = testClient(path, { logger }, { endpoint: path, imageEndpoint: '' });
    expect((await client.runtime.version({})).runtimeName).toBe('x');
    expect(logged(logger).filter((line) => line.startsWith('warn'))).toEqual([
      `warn: the endpoint ${path} has no scheme, which is deprecated; write unix://${path} (--container-runtime-endpoint)`,
    ]);
  });

  it('may differ between runtime and images', async () => {
    const imagePath = join(folder.path, 'images.sock');
    const images = {
      listImages: (_call: UnaryServerCall, reply: Reply) => reply(null, { images: [{ id: 'sha256:1' }] }),
    };
    await using _runtime = await startCriServer(path, runtimeNamed('x'));
    await using _images = await startCriServer(imagePath, { images });
    await using client = testClient(path, {}, { imageEndpoint: `unix://${imagePath}` });
    expect((await client.images.listImages({})).images).toMatchObject([{ id: 'sha256:1' }]);
    expect((await client.runtime.version({})).runtimeName).toBe('x');
    await _images[Symbol.asyncDispose]();
    expect(await failureOf(client.images.listImages({}))).toMatchObject({
      kind: 'socket-missing',
      endpoint: `unix://${imagePath}`,
    });
    expect((await client.runtime.version({})).runtimeName).toBe('x');
  });

  it('share a connection when equal', async () => {
    let connections = 0;
    await using _server = await startRawServer(path, (socket) => (connections++, socket.end()));
    const socketProbe: SocketProbe = { examine: () => Promise.resolve({ kind: 'closed' }) };
    await using client = testClient(path, { clock: createVirtualClock(), socketProbe });
    await Promise.all([failureOf(client.runtime.version({})), failureOf(client.images.listImages({}))]);
    expect(connections).toBe(1);
  });
});

describe('a socket that cannot be used', () => {
  it('fails the call at once when it does not exist', async () => {
    const clock = createVirtualClock();
    await using client = testClient(path, { clock });
    const error = await failureOf(client.runtime.version({}));
    expect(error).toMatchObject({
      kind: 'socket-missing',
      code: StatusCode.Unavailable,
      method: 'Version',
      endpoint: `unix://${path}`,
    });
    expect(error.message).toBe(
      `cannot connect to the container runtime at unix://${path}: the socket does not exist; ` +
        'is the runtime running, and is --container-runtime-endpoint right?',
    );
    expect(clock.monotonicNow()).toBe(0);
    expect(await failureOf(client.runtime.listContainers({}))).toMatchObject({
      kind: 'socket-missing',
      method: 'ListContainers',
    });
  });

  it('fails a stream in the same way', async () => {
    await using client = testClient(path);
    expect(await failureOf(client.runtime.getContainerEvents({})[Symbol.asyncIterator]().next())).toMatchObject({
      kind: 'socket-missing',
    });
  });

  it('is reported as a file', async () => {
    await writeFile(path, '');
    await using client = testClient(path);
    const error = await failureOf(client.runtime.version({}));
    expect(error.kind).toBe('connection-refused');
    expect(error.message).toContain('it is a regular file, not a socket');
  });

  it('is reported when permission is denied', async () => {
    const finding: SocketFinding = { kind: 'permission-denied', owner: 'mode 0660, owner 0:999' };
    await using client = testClient(path, { socketProbe: { examine: () => Promise.resolve(finding) } });
    expect(await failureOf(client.runtime.version({}))).toMatchObject({ kind: 'permission-denied' });
    expect((await stateIs(client.state$, 'unavailable')).error.kind).toBe('permission-denied');
  });

  it('fails calls all the same when the probe of the socket fails', async () => {
    await using client = testClient(path, { socketProbe: { examine: () => Promise.reject(new Error('no probe')) } });
    expect(await failureOf(client.runtime.version({}))).toMatchObject({
      kind: 'unavailable',
      message: `cannot connect to the container runtime at unix://${path}: no probe`,
    });
  });

  it('is reported when it serves another protocol', async () => {
    await using _server = await startRawServer(path, (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await using client = testClient(path);
    expect(await failureOf(client.runtime.version({}))).toMatchObject({
      kind: 'not-a-cri',
      code: StatusCode.Unavailable,
    });
  });

  it('fails calls after the connect timeout without an answer, and drops its connection', async () => {
    const clock = createVirtualClock();
    const accepted = Promise.withResolvers<void>();
    const dropped = Promise.withResolvers<void>();
    await using _server = await startRawServer(path, (socket) => {
      socket.on('close', dropped.resolve);
      socket.resume();
      accepted.resolve();
    });
    await using client = testClient(path, {
      clock,
      socketProbe: { examine: () => Promise.resolve({ kind: 'silent' }) },
    });
    const call = failureOf(client.runtime.version({}));
    await accepted.promise;
    await clock.runUntil(() => clock.monotonicNow() >= 5000);
    expect(await call).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('is the runtime hung?') as string,
    });
    await dropped.promise;
  });
});

describe('the connection', () => {
  it('is used from the first call on, and late subscribers get its current state', async () => {
    await using _server = await startCriServer(path, runtimeNamed('x'));
    const clock = createVirtualClock();
    const client = testClient(path, { clock });
    const states = firstValueFrom(client.state$.pipe(toArray()));
    expect(await firstValueFrom(client.state$)).toEqual({ kind: 'idle', sinceMs: clock.now() });
    await client.runtime.version({});
    expect(await firstValueFrom(client.state$)).toEqual({ kind: 'ready', sinceMs: clock.now() });
    await client[Symbol.asyncDispose]();
    expect((await states).map(({ kind }) => kind)).toEqual(['idle', 'connecting', 'ready']);
  });

  it('reconnects by itself when the server comes back', async () => {
    const logger = recordingLogger();
    const client = testClient(path, { logger });
    const states = firstValueFrom(client.state$.pipe(toArray()));
    const first = await startCriServer(path, runtimeNamed('first'));
    expect((await client.runtime.version({})).runtimeName).toBe('first');
    await first[Symbol.asyncDispose]();
    const { error } = await stateIs(client.state$, 'unavailable');
    expect(error.kind).toBe('socket-missing');
    expect(await failureOf(client.runtime.version({}))).toMatchObject({ kind: 'socket-missing' });

    await using _second = await startCriServer(path, runtimeNamed('second'));
    await stateIs(client.state$, 'ready');
    expect((await client.runtime.version({})).runtimeName).toBe('second');
    await client[Symbol.asyncDispose]();
    expect((await states).map(({ kind }) => kind)).toEqual([
      'idle',
      'connecting',
      'ready',
      'connecting',
      'unavailable',
      'ready',
    ]);
    expect(logged(logger)).toEqual([
      'info: connected to the container runtime',
      `warn: ${error.message}`,
      'info: connected to the container runtime',
    ]);
  });

  it('is retried after a delay by the injected clock', async () => {
    const clock = createVirtualClock();
    await using client = testClient(path, { clock }, { initialReconnectDelayMs: 1000, maxReconnectDelayMs: 1000 });
    await failureOf(client.runtime.version({}));
    await using _server = await startCriServer(path, runtimeNamed('x'));
    await untilReconnectIsDue(clock);
    await clock.advance(999);
    expect(clock.pendingTimers).toBe(1);
    const ready = stateIs(client.state$, 'ready');
    await clock.advance(1);
    await ready;
  });

  it('is retried at once after a call that finds the runtime back', async () => {
    const clock = createVirtualClock();
    await using client = testClient(path, { clock }, { initialReconnectDelayMs: 1, maxReconnectDelayMs: 3600_000 });
    await failureOf(client.runtime.version({}));
    for (let delayMs = 1; delayMs < 1000; delayMs *= 2) {
      await untilReconnectIsDue(clock);
      await clock.advance(delayMs);
    }
    await untilReconnectIsDue(clock);
    await using _server = await startCriServer(path, runtimeNamed('x'));
    const ready = stateIs(client.state$, 'ready');
    expect(await failureOf(client.runtime.version({}))).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('try again') as string,
    });
    await clock.advance(1);
    await ready;
    expect((await client.runtime.version({})).runtimeName).toBe('x');
  });

  it('lost during a call fails that call as unavailable', async () => {
    const server = startScript('hanging-server.ts', path);
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('serving');
    await using client = testClient(path);
    const call = failureOf(client.runtime.version({}));
    expect((await lines.next()).value).toBe('called');
    server.kill('SIGKILL');
    const error = await call;
    expect(error).toMatchObject({ kind: 'unavailable', code: StatusCode.Unavailable });
    expect(error.message).toContain('the connection to the container runtime was lost during the call');
    expect((await stateIs(client.state$, 'unavailable')).error.kind).toBe('connection-refused');
    await rm(path);
  });

  it('reports a changed reason', async () => {
    await using client = testClient(path);
    await failureOf(client.runtime.version({}));
    expect((await stateIs(client.state$, 'unavailable')).error.kind).toBe('socket-missing');
    await writeFile(path, '');
    await failureOf(client.runtime.version({}));
    expect((await stateIs(client.state$, 'unavailable')).error.kind).toBe('connection-refused');
  });
});

describe('disposal', () => {
  it('ends pending calls as canceled and rejects later ones', async () => {
    const called = Promise.withResolvers<void>();
    await using _server = await startCriServer(path, {
      runtime: {
        version: () => called.resolve(),
        getContainerEvents: (call: StreamCall) => call.write({ containerId: 'a' }),
      },
    });
    const clock = createVirtualClock();
    const client = testClient(path, { clock });
    const events = client.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await events.next();
    const calls = [failureOf(client.runtime.version({})), failureOf(events.next())];
    await called.promise;
    await client[Symbol.asyncDispose]();
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({ kind: 'canceled', code: StatusCode.Canceled });
      expect(error.message).toContain('the client is closed');
    }
    expect(await failureOf(client.runtime.version({}))).toMatchObject({ kind: 'canceled' });
    expect(await failureOf(client.runtime.getContainerEvents({})[Symbol.asyncIterator]().next())).toMatchObject({
      kind: 'canceled',
    });
    expect(clock.pendingTimers).toBe(0);
    await client[Symbol.asyncDispose]();
  });

  it('works before the first call', async () => {
    const client = testClient(path);
    const states = firstValueFrom(client.state$.pipe(toArray()));
    await client[Symbol.asyncDispose]();
    expect(await states).toMatchObject([{ kind: 'idle' }]);
  });

  it('ends a call that waits for a connection, and drops the pending connection', async () => {
    const accepted = Promise.withResolvers<void>();
    const dropped = Promise.withResolvers<void>();
    await using _server = await startRawServer(path, (socket) => {
      socket.on('close', dropped.resolve);
      socket.resume();
      accepted.resolve();
    });
    const clock = createVirtualClock();
    const client = testClient(path, { clock });
    const call = failureOf(client.runtime.version({}));
    await accepted.promise;
    await client[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ kind: 'canceled' });
    await dropped.promise;
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer while a reconnect is due', async () => {
    const clock = createVirtualClock();
    const client = testClient(path, { clock });
    await failureOf(client.runtime.version({}));
    await untilReconnectIsDue(clock);
    await client[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves nothing that would keep a process alive', async () => {
    await using _server = await startCriServer(path, {
      runtime: {
        version: (_call: UnaryServerCall, reply: Reply) => reply(null, { runtimeName: 'fixture' }),
        status: () => undefined,
        execSync: () => undefined,
        getContainerEvents: (call: StreamCall) => call.write({ containerId: 'a' }),
      },
    });
    const child = startScript('use-and-end.ts', path, join(folder.path, 'missing.sock'));
    const output: string[] = [];
    createInterface(child.stdout).on('line', (line) => output.push(line));
    const [exitCode] = (await once(child, 'close')) as [number];
    expect(output).toEqual(['fixture', 'socket-missing', 'canceled', 'canceled', 'canceled']);
    expect(exitCode).toBe(0);
  });
});

describe('many clients', () => {
  it('share one socket independently of each other', async () => {
    await using _server = await startCriServer(path, runtimeNamed('x'));
    const first = createCriClient(...clientArguments());
    await using second = createCriClient(...clientArguments());
    await Promise.all([first.runtime.version({}), second.runtime.version({})]);
    await first[Symbol.asyncDispose]();
    expect((await second.runtime.version({})).runtimeName).toBe('x');

    function clientArguments(): Parameters<typeof createCriClient> {
      return [
        { clock: createVirtualClock(), random: { next: () => 0, hex: () => '' } },
        { endpoint: `unix://${path}` },
      ];
    }
  });
});
