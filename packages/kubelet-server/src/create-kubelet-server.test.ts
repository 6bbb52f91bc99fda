import { once } from 'node:events';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { EndpointError, type EndpointRequest, type HttpEndpoint } from '@rxlet/agent-api/http';
import type { Pod, PodPhase } from '@rxlet/kube-api';
import { NEVER } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KubeletServerOptions } from './create-kubelet-server.ts';
import type { KubeletServerPorts } from './ports.ts';
import {
  type Answer,
  requestPath,
  createTestServer,
  lines,
  open,
  streamEndpoint,
  type TestServer,
} from './test-support.ts';

const disposables: TestServer[] = [];
afterEach(async () => {
  for (const one of disposables.splice(0)) await one[Symbol.asyncDispose]();
});

async function create(
  ports?: Partial<KubeletServerPorts>,
  options?: Partial<KubeletServerOptions>,
): Promise<TestServer> {
  const made = await createTestServer(ports, options);
  disposables.push(made);
  return made;
}

async function start(
  ports?: Partial<KubeletServerPorts>,
  options?: Partial<KubeletServerOptions>,
): Promise<TestServer> {
  const made = await create(ports, options);
  await made.server.start();
  return made;
}

const pod = (name: string, phase: PodPhase = 'Running'): Pod => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  status: { phase },
});

async function next(from: AsyncGenerator<string, void>): Promise<unknown> {
  const { value } = await from.next();
  return JSON.parse(value as string);
}

/** A source of log lines: each `say` emits one, until `close`. */
function fakeLog() {
  const requests: EndpointRequest[] = [];
  const source = new Readable({ read: () => undefined });
  let signal: AbortSignal | undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
  return {
    requests,
    aborted,
    say: (text: string) => source.push(text),
    close: () => source.push(null),
    fail: (error: Error) => source.destroy(error),
    endpoint: streamEndpoint((request) => {
      requests.push(request);
      ({ signal } = request);
      const given = request.signal;
      given.addEventListener('abort', () => {
        source.destroy();
        resolve(given.reason);
      });
      return Promise.resolve(source);
    }),
    isAborted: () => signal?.aborted,
  };
}

describe('/pods', () => {
  it('lists the pods', async () => {
    const { socketPath, podList } = await start();
    podList.push(pod('web'), pod('db'));
    const { status, headers, body } = await requestPath(socketPath, '/pods');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: {},
      items: [pod('web'), pod('db')],
    });
  });

  it('reports it instead of listing no pods while the pod sources have not been read', async () => {
    const listed: Pod[] = [];
    let ready = false;
    const pods = { list: () => listed, changes$: NEVER };
    const { socketPath } = await start({ pods, sourcesReady: () => ready });
    expect(await requestPath(socketPath, '/pods')).toMatchObject({
      status: 503,
      body: 'the agent has not read its pod sources yet: retry later',
      headers: { 'retry-after': '1' },
    });
    listed.push(pod('web'));
    expect((await requestPath(socketPath, '/pods')).status).toBe(200);
    listed.pop();
    ready = true;
    expect(JSON.parse((await requestPath(socketPath, '/pods')).body)).toMatchObject({ items: [] });
  });

  it('watches: the pods there are, then each change', async () => {
    const { socketPath, podList, podChanges } = await start();
    podList.push(pod('web'));
    const watch = lines(await open(socketPath, '/pods?watch=true'));
    expect(await next(watch)).toEqual({ type: 'ADDED', object: pod('web') });
    podChanges.emit({ type: 'ADDED', pod: pod('db', 'Pending') });
    podChanges.emit({ type: 'MODIFIED', pod: pod('db') });
    podChanges.emit({ type: 'DELETED', pod: pod('web') });
    expect(await next(watch)).toEqual({ type: 'ADDED', object: pod('db', 'Pending') });
    expect(await next(watch)).toEqual({ type: 'MODIFIED', object: pod('db') });
    expect(await next(watch)).toEqual({ type: 'DELETED', object: pod('web') });
  });

  it('marks where what there was ends, for those who ask', async () => {
    const { socketPath, podList, podChanges } = await start();
    podList.push(pod('web'));
    const watch = lines(await open(socketPath, '/pods?watch=true&sendInitialEvents=true'));
    podChanges.emit({ type: 'ADDED', pod: pod('db') });
    expect(await next(watch)).toMatchObject({ type: 'ADDED', object: pod('web') });
    expect(await next(watch)).toEqual({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    expect(await next(watch)).toMatchObject({ type: 'ADDED', object: pod('db') });
    expect((await requestPath(socketPath, '/pods?watch&sendInitialEvents=perhaps')).status).toBe(422);
  });

  it('lets go of the pods when the watcher leaves', async () => {
    const { socketPath, podChanges } = await start();
    const response = await open(socketPath, '/pods?watch');
    expect(podChanges.isObserved).toBe(true);
    response.destroy();
    await untilUnobserved(podChanges, socketPath);
    expect(podChanges.isObserved).toBe(false);
  });

  it('notices that a watcher left also when it had sent more than anybody reads', async () => {
    const { socketPath, podChanges } = await start();
    const socket = connect(socketPath);
    socket.on('error', () => undefined);
    socket.write('GET /pods?watch HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n');
    for (let sent = 0; sent < 300; sent += 1) socket.write('x'.repeat(1000));
    await once(socket, 'data');
    expect(podChanges.isObserved).toBe(true);
    socket.destroy();
    await untilUnobserved(podChanges, socketPath);
    expect(podChanges.isObserved).toBe(false);
  });

  it('ends a watch whole when the pods are closed', async () => {
    const { socketPath, podChanges } = await start();
    const watch = lines(await open(socketPath, '/pods?watch'));
    podChanges.complete();
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });

  it('gives a watcher that does not read the latest state of each pod, not each change', async () => {
    const { socketPath, podChanges } = await start();
    const response = await open(socketPath, '/pods?watch');
    // More than all buffers on the way can take.
    const filler = 'x'.repeat(100_000);
    const rounds = 200;
    for (let round = 1; round <= rounds; round += 1) {
      podChanges.emit({
        type: 'MODIFIED',
        pod: { metadata: { name: 'web', uid: '1', labels: { round: String(round), filler } } },
      });
    }
    podChanges.complete();
    const seen: number[] = [];
    for await (const line of lines(response)) {
      seen.push(
        Number(
          (JSON.parse(line) as { object: { metadata: { labels: { round: string } } } }).object.metadata.labels.round,
        ),
      );
    }
    expect(seen.at(-1)).toBe(rounds);
    expect(seen.length).toBeLessThan(rounds);
  });
});

describe('/events', () => {
  const web = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: '1' };

  it('lists and watches events', async () => {
    const { socketPath, events } = await start();
    events.event(web, 'Normal', 'Pulled', 'image is there');
    const list = JSON.parse((await requestPath(socketPath, '/events')).body) as {
      kind: string;
      items: { reason: string }[];
    };
    expect(list.kind).toBe('EventList');
    expect(list.items.map(({ reason }) => reason)).toEqual(['Pulled']);

    const watch = lines(await open(socketPath, '/events?watch=1'));
    expect(await next(watch)).toMatchObject({ type: 'ADDED', object: { reason: 'Pulled', count: 1 } });
    events.event(web, 'Normal', 'Started', 'started');
    expect(await next(watch)).toMatchObject({ type: 'ADDED', object: { reason: 'Started', count: 1 } });
    events.event(web, 'Normal', 'Pulled', 'image is there');
    expect(await next(watch)).toMatchObject({ type: 'MODIFIED', object: { reason: 'Pulled', count: 2 } });
  });
});

describe('/healthz', () => {
  const problems = new Map<string, string>();
  const healthChecks = ['ping', 'pleg'].map((name) => ({ name, check: () => problems.get(name) }));
  afterEach(() => problems.clear());

  it('is exactly ok when nothing is wrong', async () => {
    const { socketPath } = await start({ healthChecks });
    expect(await requestPath(socketPath, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
    expect(await requestPath(socketPath, '/healthz/pleg')).toMatchObject({ status: 200, body: 'ok' });
  });

  it('reports what is wrong', async () => {
    const { socketPath } = await start({ healthChecks });
    problems.set('pleg', 'the runtime does not answer');
    expect(await requestPath(socketPath, '/healthz')).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]pleg failed: the runtime does not answer\nhealthz check failed\n',
    });
    expect(await requestPath(socketPath, '/healthz/ping')).toMatchObject({ status: 200, body: 'ok' });
    expect(await requestPath(socketPath, '/healthz/pleg')).toMatchObject({
      status: 500,
      body: 'internal server error: the runtime does not answer\n',
    });
    expect((await requestPath(socketPath, '/healthz?verbose&exclude=pleg&exclude=nope')).body).toBe(
      '[+]ping ok\n[+]pleg excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nhealthz check passed\n',
    );
  });

  it('does not know other checks', async () => {
    const { socketPath } = await start({ healthChecks });
    expect(await requestPath(socketPath, '/healthz/toString')).toMatchObject({
      status: 404,
      body: '404 page not found\n',
    });
    expect((await requestPath(socketPath, '/healthz/ping/more')).status).toBe(404);
  });
});

describe('/metrics', () => {
  it('leaves the metrics of probes to /metrics/probes', async () => {
    const family = (name: string): string => `# HELP ${name} Help.\n# TYPE ${name} gauge\n${name} 1\n`;
    const text = [family('a'), '\n', family('prober_probe_total'), family('prober_x'), family('z')].join('');
    const { socketPath } = await start({ metrics: () => Promise.resolve({ contentType: 'text/plain', text }) });
    expect((await requestPath(socketPath, '/metrics')).body).toBe(`${family('a')}\n${family('z')}`);
  });

  it('passes the metrics on', async () => {
    const text = '# TYPE up gauge\nup 1\n';
    const { socketPath } = await start({
      metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text }),
    });
    const { status, headers, body } = await requestPath(socketPath, '/metrics');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8', text]);
  });

  it('has the start of the process, and is compressed for clients that accept it', async () => {
    const text = '# TYPE up gauge\nup 1\n';
    const metrics = () => Promise.resolve({ contentType: 'text/plain', text });
    const { socketPath } = await start({ metrics, startTimeMs: 1500 });
    for (const [accepted, isCompressed] of [
      ['gzip, deflate', true],
      ['GZIP;q=0.5', true],
      ['deflate', false],
      ['gzip;q=0', false],
    ] as const) {
      const call = request({ socketPath, path: '/metrics', headers: { 'accept-encoding': accepted }, agent: false });
      call.end();
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      const body = Buffer.concat((await response.toArray()) as Buffer[]);
      expect(response.headers['process-start-time-unix']).toBe('1');
      expect(response.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
      expect((isCompressed ? gunzipSync(body) : body).toString()).toBe(text);
    }
  });

  it('answers 500 and reports it in the log when they cannot be had', async () => {
    const { socketPath, logger } = await start({ metrics: () => Promise.reject(new Error('no metrics')) });
    expect(await requestPath(socketPath, '/metrics')).toMatchObject({
      status: 500,
      body: 'the request could not be answered: see the log of the agent\n',
    });
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { request: '/metrics', error: 'no metrics' } }]);
  });
});

describe('endpoints of modules', () => {
  it('get the request and answer with a stream', async () => {
    const log = fakeLog();
    const { socketPath } = await start({ endpoints: [log.endpoint] });
    log.say('one\ntw');
    log.say('o\n');
    log.close();
    const { status, headers, body } = await requestPath(socketPath, '/stream/a%2Fb/c?follow=true');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; charset=utf-8', 'one\ntwo\n']);
    expect(log.requests).toMatchObject([{ method: 'GET', segments: ['a', 'b', 'c'] }]);
    expect(log.requests[0]?.parameters.get('follow')).toBe('true');
  });

  it('answer with text of a status and type of their own', async () => {
    const endpoint: HttpEndpoint = {
      path: 'teapot',
      methods: ['GET', 'POST'],
      handle: ({ method }) => ({ status: 418, contentType: 'text/html', body: `<b>${method}</b>` }),
    };
    const { socketPath } = await start({ endpoints: [endpoint] });
    const { status, headers, body } = await requestPath(socketPath, '/teapot', 'POST');
    expect([status, headers['content-type'], body]).toEqual([418, 'text/html', '<b>POST</b>']);
    expect((await requestPath(socketPath, '/teapot/more')).status).toBe(404);
  });

  it('answer with the status of an EndpointError', async () => {
    const { socketPath, logger } = await start({
      endpoints: [streamEndpoint(() => Promise.reject(new EndpointError(404, 'pod "web" does not exist')))],
    });
    expect(await requestPath(socketPath, '/stream')).toMatchObject({ status: 404, body: 'pod "web" does not exist' });
    expect(logger.lines).toEqual([]);
  });

  it('closes the log when the reader of a followed log disconnects', async () => {
    const log = fakeLog();
    const { socketPath, logger } = await start({ endpoints: [log.endpoint] });
    const response = await open(socketPath, '/stream?follow=true');
    log.say('one\n');
    expect(await lines(response).next()).toEqual({ done: false, value: 'one' });
    response.destroy();
    expect(await log.aborted).toEqual(new Error('the reader went away'));
    expect(logger.lines).toEqual([]);
  });

  it('does not run ahead of a reader that does not read', async () => {
    let given = 0;
    const { promise: left, resolve } = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          given += 1;
          yield new Uint8Array(64 * 1024);
        }
      } finally {
        resolve();
      }
    }
    const { socketPath } = await start({ endpoints: [streamEndpoint(() => Promise.resolve(endless()))] });
    const response = await open(socketPath, '/stream');
    for (let others = 0; others < 20; others += 1) await requestPath(socketPath, '/pods');
    // A few megabytes fit into the buffers on the way.
    expect(given).toBeLessThan(50);
    response.destroy();
    await left;
  });

  it('breaks off, for all to see, a log that fails midway', async () => {
    const log = fakeLog();
    const { socketPath, logger } = await start({ endpoints: [log.endpoint] });
    const response = await open(socketPath, '/stream');
    const read = lines(response);
    log.say('one\n');
    await read.next();
    log.fail(new Error('the disk is gone'));
    await expect(read.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { error: 'the disk is gone' } }]);
  });
});

describe('other requests', () => {
  it.each(['/', '/nothing', '/metrics/cadvisor', '/toString', '/__proto__'])('answers 404 for %s', async (path) => {
    const { socketPath } = await start();
    expect(await requestPath(socketPath, path)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  it('answers 405 to requests that write', async () => {
    const { socketPath } = await start();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await requestPath(socketPath, '/pods', method);
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    expect((await requestPath(socketPath, '/nothing', 'POST')).status).toBe(404);
  });

  it('answers 400 to malformed targets', async () => {
    const { socketPath } = await start();
    expect((await requestPath(socketPath, '/pods%')).status).toBe(400);
    expect((await requestPath(socketPath, '/pods?watch=perhaps')).status).toBe(422);
  });

  it('answers targets as long as a very long command', async () => {
    const { socketPath } = await start();
    expect((await requestPath(socketPath, `/pods?command=${'a'.repeat(500_000)}`)).status).toBe(200);
  });

  it('answers HEAD without a body, also where a body would not end', async () => {
    const log = fakeLog();
    const { socketPath, podChanges } = await start({ endpoints: [log.endpoint] });
    const expected: Partial<Answer> = { status: 200, body: '' };
    for (const path of ['/pods', '/pods?watch=true', '/events?watch', '/healthz', '/metrics']) {
      expect(await requestPath(socketPath, path, 'HEAD')).toMatchObject(expected);
    }
    expect(podChanges.isObserved).toBe(false);
    const refused = await requestPath(socketPath, '/stream?follow', 'HEAD');
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET']);
    expect(log.requests).toEqual([]);
  });

  it('survives what is not HTTP', async () => {
    const { socketPath } = await start();
    const socket = connect(socketPath);
    socket.end('\u0016\u0003\u0001 hello\r\n\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await requestPath(socketPath, '/healthz')).status).toBe(200);
  });

  it('answers requests beyond the bound with 503, and warns once a minute', async () => {
    const { socketPath, logger, clock } = await start({}, { maxRequests: 2 });
    const watches = await Promise.all([1, 2].map(() => open(socketPath, '/pods?watch')));
    const floods = async (): Promise<number[]> => {
      const answers = await Promise.all([1, 2].map(() => requestPath(socketPath, '/healthz')));
      expect(answers[0]).toMatchObject({
        body: 'too many requests are being served: retry later\n',
        headers: { connection: 'close', 'retry-after': '1' },
      });
      return answers.map(({ status }) => status);
    };
    expect(await floods()).toEqual([503, 503]);
    expect(await floods()).toEqual([503, 503]);
    const warning = { level: 'warn', message: 'rejected requests: too many are being served' };
    expect(logger.lines).toMatchObject([{ ...warning, fields: { maxRequests: 2, times: 1 } }]);
    await clock.advance(60_000);
    expect(await floods()).toEqual([503, 503]);
    expect(logger.lines).toMatchObject([warning, { ...warning, fields: { times: 4 } }]);
    for (const watch of watches) watch.destroy();
    await vi.waitFor(async () => expect((await requestPath(socketPath, '/healthz')).status).toBe(200));
  });

  it('closes the longest idle connections beyond the bound, and none with a request', async () => {
    const { socketPath, logger } = await start({}, { maxRequests: 2 });
    const watch = await open(socketPath, '/pods?watch');
    const idle = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const socket = connect(socketPath);
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      }),
    );
    expect((await requestPath(socketPath, '/healthz')).status).toBe(200);
    await vi.waitFor(() =>
      expect(idle.filter(({ closed, readyState }) => closed || readyState !== 'open')).toHaveLength(3),
    );
    expect(watch.socket.readyState).toBe('open');
    expect(logger.lines).toMatchObject([{ message: 'closed connections without requests: too many are open' }]);
    for (const socket of [...idle, watch]) socket.destroy();
  });
});

describe('the socket', () => {
  it('is only for its owner, and leaves nothing behind', async () => {
    const { server, socketPath, folder } = await start();
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    await server[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused while another agent serves it', async () => {
    const { socketPath } = await start();
    const second = await create({}, { socketPath });
    await expect(second.server.start()).rejects.toMatchObject({ name: 'UnixSocketError', reason: 'InUse' });
    await second.server[Symbol.asyncDispose]();
    expect((await requestPath(socketPath, '/healthz')).body).toBe('ok');
  });

  it('takes the place of one that a killed agent left', async () => {
    const { server, socketPath, folder } = await create();
    // Closing a server removes its socket; made elsewhere and moved, it stays as after a kill.
    const dead = createServer().listen(join(folder, 'dead'));
    await once(dead, 'listening');
    await rename(join(folder, 'dead'), socketPath);
    await new Promise((resolve) => dead.close(resolve));
    await server.start();
    expect((await requestPath(socketPath, '/healthz')).body).toBe('ok');
  });

  it('does not take the place of a file', async () => {
    const { server, socketPath } = await create();
    await writeFile(socketPath, 'precious');
    await expect(server.start()).rejects.toMatchObject({ reason: 'NotASocket' });
  });

  it('is opened once, however often the server is started', async () => {
    const { server, socketPath } = await create();
    await Promise.all([server.start(), server.start()]);
    await server.start();
    expect((await requestPath(socketPath, '/healthz')).body).toBe('ok');
  });
});

describe('disposal', () => {
  it('breaks off open watches and followed logs', async () => {
    const log = fakeLog();
    const { server, socketPath, podChanges, logger } = await start({ endpoints: [log.endpoint] });
    const watch = lines(await open(socketPath, '/pods?watch'));
    const follow = lines(await open(socketPath, '/stream?follow'));
    const broken = Promise.all([
      expect(watch.next()).rejects.toMatchObject({ code: 'ECONNRESET' }),
      expect(follow.next()).rejects.toMatchObject({ code: 'ECONNRESET' }),
    ]);
    await server[Symbol.asyncDispose]();
    await broken;
    expect(log.isAborted()).toBe(true);
    expect(podChanges.isObserved).toBe(false);
    expect(logger.lines).toEqual([]);
  });

  it('breaks off a log also where its source just ends', async () => {
    const { server, socketPath } = await start({
      endpoints: [
        streamEndpoint(async ({ signal }) =>
          (async function* () {
            await once(signal, 'abort');
            yield new Uint8Array();
          })(),
        ),
      ],
    });
    const read = lines(await open(socketPath, '/stream?follow')).next();
    const broken = expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    await server[Symbol.asyncDispose]();
    await broken;
  });

  it('lets an answer that has only to be written be written', async () => {
    const { promise, resolve } = Promise.withResolvers<{ contentType: string; text: string }>();
    const { promise: calls, resolve: setRequested } = Promise.withResolvers<void>();
    const { server, socketPath } = await start({ metrics: () => (setRequested(), promise) });
    const answer = requestPath(socketPath, '/metrics');
    await calls;
    const disposed = server[Symbol.asyncDispose]();
    resolve({ contentType: 'text/plain', text: 'up 1\n' });
    expect((await answer).body).toBe('up 1\n');
    await disposed;
  });

  it('leaves no socket when it comes while the server starts, and the server does not start after it', async () => {
    const { server, folder } = await create();
    const started = server.start();
    await server[Symbol.asyncDispose]();
    await Promise.allSettled([started]);
    expect(await readdir(folder)).toEqual([]);

    const other = await create();
    await other.server[Symbol.asyncDispose]();
    await expect(other.server.start()).rejects.toThrow('stopped');
    expect(await readdir(other.folder)).toEqual([]);
  });

  it('does nothing for a server that was never started, or twice', async () => {
    const { server } = await create();
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
});

/** Waits, by asking the server for something, until it has seen that a reader left. */
async function untilUnobserved(stream: { readonly isObserved: boolean }, socketPath: string): Promise<void> {
  for (let tries = 0; stream.isObserved && tries < 100; tries += 1) await requestPath(socketPath, '/healthz');
}
