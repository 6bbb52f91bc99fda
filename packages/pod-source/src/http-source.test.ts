import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { onAbort, sleep, systemClock } from '@rxlet/component-base';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { createHttpSource, type HttpSourceOptions } from './http-source.ts';
import { MAX_INLINE_BYTES } from './manifest-decoder.ts';
import { createManifestFetcher, ManifestTooLarge } from './manifest-fetcher.ts';
import { testManifest } from './test-manifest.ts';
import { exhaustThreads, recordProblems } from './test-support.ts';

const URL_ = 'http://manifests.example/node1';

function podJson(name: string, image = 'x'): object {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image }] } };
}

function list(...items: object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items });
}

function setUp(options: Partial<HttpSourceOptions> = {}) {
  const clock = createVirtualClock();
  const answer = { status: 200, body: list() as string | Error | undefined };
  const requests: { readonly url: string; readonly headers: unknown; readonly atMs: number }[] = [];
  const beganMs = clock.monotonicNow();
  const fetcher = {
    get(url: string, { headers, signal }: { headers: unknown; signal: AbortSignal }) {
      requests.push({ url, headers, atMs: clock.monotonicNow() - beganMs });
      const { status, body } = answer;
      if (body === undefined) {
        return new Promise<never>((_, reject) => void onAbort(signal, reject));
      }
      return body instanceof Error
        ? Promise.reject(body)
        : Promise.resolve({ status, body: new TextEncoder().encode(body) });
    },
  };
  const source = createHttpSource({ clock, fetcher }, { url: URL_, nodeName: 'node1', ...options });
  const snapshots: string[][] = [];
  const { appeared: problems } = recordProblems(source.problems$);
  source.snapshots$.subscribe((pods) =>
    snapshots.push(pods.map(({ metadata, spec }) => `${metadata!.name!} ${spec!.containers[0]!.image!}`)),
  );
  return { clock, source, answer, requests, snapshots, problems };
}

/** A thread takes more than a second to start on a machine that is busy. */
const THREAD_START = { timeout: 20_000 };

describe('createHttpSource', () => {
  it('requests every 20 seconds and emits changes', async () => {
    const { clock, source, answer, requests, snapshots, problems } = setUp({
      headers: [
        ['X-Node', 'node1'],
        ['X-Node', 'again'],
      ],
    });
    await using _ = source;
    await clock.advance(60_000);
    expect(requests).toEqual([]);
    answer.body = testManifest('one', 'busybox:1');
    source.start();
    source.start();
    await clock.advance(20_000);
    answer.body = list(podJson('two'), { apiVersion: 'v1', kind: 'Pod', ...podJson('three') });
    await clock.advance(20_000);
    answer.body = list();
    await clock.advance(20_000);
    expect(requests.map(({ atMs }) => atMs)).toEqual([60_000, 80_000, 100_000, 120_000]);
    expect(requests[0]).toMatchObject({
      url: URL_,
      headers: [
        ['X-Node', 'node1'],
        ['X-Node', 'again'],
      ],
    });
    expect(snapshots).toEqual([['one-node1 busybox:1'], ['two-node1 x', 'three-node1 x'], []]);
    expect(problems).toEqual([]);
  });

  it('decodes the same answer again that could not be decoded for want of a thread', async () => {
    const threads = exhaustThreads();
    const { clock, source, answer, snapshots, problems } = setUp();
    await using _ = source;
    answer.body = `# ${'x'.repeat(MAX_INLINE_BYTES)}\n${testManifest('one', 'busybox:1')}`;
    source.start();
    await vi.waitFor(() => expect(problems).toEqual([expect.stringContaining(`cannot decode ${URL_}`)]));
    threads.release();
    await clock.advance(20_000);
    await vi.waitFor(() => expect(snapshots).toEqual([['one-node1 busybox:1']]), THREAD_START);
  });

  it('makes static pods whose identity follows from content and URL', async () => {
    const { clock, source, answer } = setUp();
    await using _ = source;
    answer.body = list(podJson('one'));
    source.start();
    await clock.settle();
    const [pod] = await firstValueFrom(source.snapshots$);
    expect(pod!.metadata).toMatchObject({
      name: 'one-node1',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    // Unlike the pods of files.
    expect(pod!.spec!.tolerations ?? []).toEqual([]);
  });

  it.each<[string, number, string | Error, string]>([
    [
      'an error status',
      503,
      list(podJson('two')),
      'SourceUnavailable: cannot get pods from http://manifests.example/node1: the server answered with status 503; it is retried every 20 s; its pods are kept',
    ],
    [
      'an empty answer',
      200,
      '',
      'SourceUnavailable: cannot get pods from http://manifests.example/node1: the answer is empty (a server without pods sends an empty PodList); it is retried every 20 s; its pods are kept',
    ],
    [
      'no answer',
      200,
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 192.0.2.1:80') }),
      'SourceUnavailable: cannot get pods from http://manifests.example/node1: connect ECONNREFUSED 192.0.2.1:80; it is retried every 20 s; its pods are kept',
    ],
    [
      'no pod',
      200,
      '<html>',
      'InvalidManifest: http://manifests.example/node1: holds a string; expected a Pod (apiVersion: v1, kind: Pod); its pods are kept',
    ],
    [
      'one bad pod of a list',
      200,
      list(podJson('two'), { metadata: {} }),
      'InvalidManifest: http://manifests.example/node1, items[1]: invalid pod: name is needed for the pod; set metadata.name; its pods are kept',
    ],
  ])('keeps its pods after %s, and reports it once', async (_title, status, body, problem) => {
    const { clock, source, answer, snapshots, problems } = setUp();
    await using _ = source;
    const good = list(podJson('one'));
    answer.body = good;
    source.start();
    await clock.settle();
    Object.assign(answer, { status, body });
    await clock.advance(100_000);
    expect(snapshots).toEqual([['one-node1 x']]);
    expect(problems).toEqual([problem]);
    Object.assign(answer, { status: 200, body: good });
    await clock.advance(20_000);
    expect(snapshots).toEqual([['one-node1 x']]);
    answer.body = list(podJson('one', 'y'));
    await clock.advance(20_000);
    expect(snapshots.at(-1)).toEqual(['one-node1 y']);
  });

  it('is not ready before the first good answer', async () => {
    const { clock, source, answer, snapshots } = setUp();
    await using _ = source;
    answer.body = new Error('away');
    source.start();
    await clock.advance(60_000);
    expect(snapshots).toEqual([]);
    answer.body = list();
    await clock.advance(20_000);
    expect(snapshots).toEqual([[]]);
  });

  it('waits ten seconds for an answer, and leaves nothing behind', async () => {
    const { clock, source, answer, problems } = setUp();
    answer.body = undefined;
    source.start();
    await clock.advance(9_999);
    expect(problems).toEqual([]);
    await clock.advance(1);
    expect(problems[0]).toContain('no answer within 10000 ms');
    await clock.advance(25_000);
    await source[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['/etc/manifests', 'ftp://host/x', ''])('rejects %j as its URL', (url) => {
    expect(() => setUp({ url })).toThrow('must begin with http:// or https://');
  });

  it('keeps credentials out of its messages', async () => {
    expect(() => setUp({ url: 'https://user:secret@host.example/x' })).toThrow(
      'the URL of a manifest on host.example holds a user name or password; give them in a header, which is not logged',
    );
    expect(() => setUp({ headers: [['bad header', 'x']] })).toThrow('"bad header" is not a name of an HTTP header');
    expect(() => setUp({ headers: [['X-Token', 'sec\nret']] })).toThrow(
      'the value of header "X-Token" has characters that HTTP does not allow',
    );
    const { clock, source, answer, problems } = setUp({ headers: [['Authorization', 'Bearer secret']] });
    await using _ = source;
    answer.body = new Error('away');
    source.start();
    await clock.settle();
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });
});

describe('createManifestFetcher', () => {
  const fetcher = createManifestFetcher({});

  async function serve(handler: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/pods`;
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { url, [Symbol.asyncDispose]: close };
  }
  const options = { headers: [['X-Node', 'node1']] as const, maxBytes: 1000, signal: new AbortController().signal };

  it('gets a manifest', async () => {
    await using server = await serve((request, reply) => reply.end(`node ${String(request.headers['x-node'])}`));
    const { status, body } = await fetcher.get(server.url, options);
    expect([status, new TextDecoder().decode(body)]).toEqual([200, 'node node1']);
  });

  it('sends the given headers, all values of a name, and in place of its own', async () => {
    await using server = await serve(({ rawHeaders }, reply) => reply.end(rawHeaders.join(' ')));
    const headers = [
      ['User-Agent', 'mine'],
      ['X-A', '1'],
      ['x-a', '2'],
    ] as const;
    const { body } = await fetcher.get(server.url, { ...options, headers });
    const { host } = new URL(server.url);
    expect(new TextDecoder().decode(body)).toBe(
      `accept */* accept-encoding gzip user-agent mine x-a 1 x-a 2 Host ${host} Connection close`,
    );
  });

  it('follows redirects, and sends its headers to no other host', async () => {
    const seen: string[] = [];
    const record: RequestListener = (request, reply) => {
      seen.push(`${request.url!} ${String(request.headers['x-node'])}`);
      reply.end('pods');
    };
    await using other = await serve(record);
    await using server = await serve((request, reply) => {
      if (request.url === '/moved') return record(request, reply);
      return reply.writeHead(302, { location: request.url === '/pods' ? '/moved' : other.url }).end();
    });
    expect((await fetcher.get(server.url, options)).status).toBe(200);
    const { body } = await fetcher.get(new URL('/elsewhere', server.url).href, options);
    expect(new TextDecoder().decode(body)).toBe('pods');
    expect(seen).toEqual(['/moved node1', '/pods undefined']);
  });

  it('gives up on redirects that never end', async () => {
    await using server = await serve((_, reply) => reply.writeHead(302, { location: '/pods' }).end());
    await expect(fetcher.get(server.url, options)).rejects.toThrow('redirected more than 20 times');
  });

  it('reads no more than its limit', async () => {
    await using server = await serve((_, reply) => reply.end('x'.repeat(1001)));
    await expect(fetcher.get(server.url, options)).rejects.toBeInstanceOf(ManifestTooLarge);
  });

  it('reads compressed answers up to the same limit', async () => {
    await using server = await serve((request, reply) => {
      const body = gzipSync(request.url === '/big' ? 'x'.repeat(1001) : 'pods');
      reply.writeHead(200, { 'content-encoding': String(request.headers['accept-encoding']) }).end(body);
    });
    expect(new TextDecoder().decode((await fetcher.get(server.url, options)).body)).toBe('pods');
    await expect(fetcher.get(new URL('/big', server.url).href, options)).rejects.toBeInstanceOf(ManifestTooLarge);
  });

  it('reports an answer that is cut', async () => {
    await using server = await serve((_, reply) => {
      reply
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': 100 })
        .write(gzipSync('pods').subarray(0, 9));
      reply.write('', () => reply.destroy());
    });
    await expect(fetcher.get(server.url, options)).rejects.toThrow('aborted');
  });

  it.each(['', 'gzip'])('reports a connection that is reset within an answer (encoding "%s")', async (encoding) => {
    await using server = await serve((request, reply) => {
      reply
        .writeHead(200, { 'content-encoding': encoding })
        .write(gzipSync('pods').subarray(0, 9), () => request.socket.resetAndDestroy());
    });
    for (let times = 0; times < 10; times += 1)
      await expect(fetcher.get(server.url, options)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it('ends with its signal within an answer', async () => {
    const cancellation = new AbortController();
    await using server = await serve((_, reply) => {
      reply.write('pods', () => cancellation.abort(new Error('too late')));
    });
    await expect(fetcher.get(server.url, { ...options, signal: cancellation.signal })).rejects.toThrow();
    // An error that nothing listens for would come now, and fail the run.
    await sleep(systemClock, 10);
  });

  it('reports a proxy that makes no connection to a server', async () => {
    const refused: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      refused.push(request.url!);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const behind = createManifestFetcher({ HTTPS_PROXY: `127.0.0.1:${String(port)}` });
    await expect(behind.get('https://manifests.example/pods', options)).rejects.toThrow('403');
    expect(refused).toEqual(['manifests.example:443']);
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('goes through the proxy of the environment, but for what it excepts', async () => {
    const seen: string[] = [];
    await using proxy = await serve((request, reply) => {
      seen.push(request.url!);
      reply.end('by the proxy');
    });
    await using server = await serve((_, reply) => reply.end('direct'));
    const behind = createManifestFetcher({ HTTP_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8' });
    const get = async (url: string): Promise<string> => new TextDecoder().decode((await behind.get(url, options)).body);
    expect(await get('http://manifests.example/pods')).toBe('by the proxy');
    expect(await get(server.url)).toBe('direct');
    expect(seen).toEqual(['http://manifests.example/pods']);
  });

  it('feeds a source', async () => {
    await using server = await serve((_, reply) => reply.end(testManifest('one')));
    await using source = createHttpSource({ clock: systemClock }, { url: server.url, nodeName: 'node1' });
    source.start();
    expect((await firstValueFrom(source.snapshots$)).map(({ metadata }) => metadata?.name)).toEqual(['one-node1']);
  });
});
