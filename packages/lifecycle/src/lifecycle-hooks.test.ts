import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { type Labels, type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { HttpError, nodeHttp } from '@rxlet/component-base/http';
import { createVirtualClock, scriptedHttp } from '@rxlet/component-base/testing';
import { type ExecSyncResponse, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { LifecycleHandler, Pod } from '@rxlet/kube-api';
import { createLifecycleHooks, type LifecycleHooksPorts } from './lifecycle-hooks.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: '123' },
  spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 8080 }] }] },
};
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const executed = (exitCode: number, stdout = '', stderr = ''): ExecSyncResponse => ({
  exitCode,
  stdout: encode(stdout),
  stderr: encode(stderr),
});
const executing = (...outcome: Parameters<typeof executed>): Pick<RuntimeService, 'execSync'> => ({
  execSync: async () => executed(...outcome),
});

function countingMetrics(): { metrics: Metrics; counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const counter: Metrics['counter'] = ({ name }) => ({
    inc: (_labels?: Labels, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
  });
  return { metrics: { ...noopMetrics, counter }, counts };
}

function setUp(ports: Partial<LifecycleHooksPorts> = {}) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const { metrics, counts } = countingMetrics();
  const http = scriptedHttp(() => ({ status: 200 }));
  const podIp = async (): Promise<string | undefined> => '10.0.0.1';
  const hooks = createLifecycleHooks({ runtime: executing(0), clock, http, podIp, events, metrics, ...ports });
  const run = (handler: LifecycleHandler, signal?: AbortSignal): Promise<void> =>
    hooks.preStop({ pod, container: 'app', containerId: 'c1', handler, signal });
  return { hooks, run, clock, events, counts, http };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('exec hooks', () => {
  it('run the command without expansion and without a timeout', async () => {
    const calls: unknown[] = [];
    const runtime: Pick<RuntimeService, 'execSync'> = {
      execSync: async (request, options) => {
        calls.push([request, options?.timeoutMs]);
        return executed(0);
      },
    };
    const { hooks } = setUp({ runtime });
    const handler = { exec: { command: ['echo', '$(HOME)'] } };
    await hooks.postStart({ pod, container: 'app', containerId: 'c1', handler });
    expect(calls).toEqual([[{ containerId: 'c1', cmd: ['echo', '$(HOME)'], timeout: 0n }, Infinity]]);
  });

  it('report exit code and output of a failed command', async () => {
    const { run } = setUp({ runtime: executing(3, 'out\n', 'bad "thing"\n') });
    await expect(run({ exec: { command: ['sh', '-c', 'exit 3'] } })).rejects.toMatchObject({
      name: 'LifecycleHookError',
      reason: 'ExecHookFailed',
      message:
        'Exec lifecycle hook ([sh -c exit 3]) for Container "app" in Pod "web_default(123)" failed - error: ' +
        `command 'sh -c exit 3' exited with 3: bad "thing"\n, message: "out\\nbad \\"thing\\"\\n"`,
    });
  });

  it('truncate output to 10 KiB', async () => {
    const { run } = setUp({ runtime: executing(1, 'x'.repeat(1_000_000), 'y'.repeat(1_000_000)) });
    const error: unknown = await run({ exec: { command: ['x'] } }).catch((reason: unknown) => reason);
    expect((error as Error).message.length).toBeLessThan(21 * 1024);
  });

  it.each([
    [new ServiceError(StatusCode.Unknown, 'no such executable'), 'rpc error: code = Unknown desc = no such executable'],
    [new ServiceError(StatusCode.DeadlineExceeded, 'late'), 'command "a b" timed out'],
  ])('fail when the runtime call fails: %s', async (failure, text) => {
    const { run } = setUp({ runtime: { execSync: () => Promise.reject(failure) } });
    await expect(run({ exec: { command: ['a', 'b'] } })).rejects.toThrow(
      `Exec lifecycle hook ([a b]) for Container "app" in Pod "web_default(123)" failed - error: ${text}, message: ""`,
    );
  });
});

describe('HTTP hooks', () => {
  it('use the pod’s current IP unless they have a host', async () => {
    const { run, http } = setUp();
    await run({ httpGet: { port: 'http', path: '/bye?now' } });
    await run({ httpGet: { port: 80, host: 'example.com', httpHeaders: [{ name: 'Host', value: 'virtual' }] } });
    expect(http.requests).toMatchObject([
      { scheme: 'http', hostname: '10.0.0.1', port: 8080, path: '/bye?now' },
      { hostname: 'example.com', port: 80, hostHeader: 'virtual' },
    ]);
    expect(http.requests[0]?.headers).toContainEqual(['User-Agent', 'kube-lifecycle/1.36']);
  });

  it.each([200, 302, 404, 503])('succeed with status %d', async (status) => {
    const { run } = setUp({ http: scriptedHttp(() => ({ status })) });
    await run({ httpGet: { port: 80 } });
  });

  it('fail without a response, a port or an IP', async () => {
    const refused = new HttpError('Transport', 'dial tcp 10.0.0.1:80: connect: connection refused');
    const message = (text: string, path = '/bye'): string =>
      `HTTP lifecycle hook (${path}) for Container "app" in Pod "web_default(123)" failed - error: ${text}`;
    const first = setUp({ http: scriptedHttp(() => Promise.reject(refused)) });
    await expect(first.run({ httpGet: { port: 80, path: '/bye' } })).rejects.toMatchObject({
      reason: 'HttpHookFailed',
      message: message(`Get "http://10.0.0.1:80/bye": ${refused.message}`),
    });
    await expect(first.run({ httpGet: { port: 'admin' } })).rejects.toThrow(
      message('strconv.Atoi: parsing "admin": invalid syntax', ''),
    );
    const noIp = setUp({ podIp: async () => undefined });
    await expect(noIp.run({ httpGet: { port: 80, path: '/bye' } })).rejects.toThrow(
      message('failed to find networking container: the pod has no IP'),
    );
    const down = setUp({ podIp: () => Promise.reject(new Error('the runtime is down')) });
    await expect(down.run({ httpGet: { port: 80, path: '/bye' } })).rejects.toThrow(message('the runtime is down'));
  });

  it('hide the values of invalid headers in errors and events', async () => {
    const { run, events } = setUp({ http: nodeHttp });
    const httpHeaders = [{ name: 'Authorization', value: 'Bearer secret\r\nX-A: 1' }];
    const error: unknown = await run({ httpGet: { port: 80, host: '127.0.0.1', httpHeaders } }).catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).toMatch(/invalid header field value for "Authorization"$/);
    expect(inspect([error, events.list()], { depth: 9 })).not.toContain('secret');
  });

  it('fall back to plain HTTP without credentials when the server does not use TLS', async () => {
    const seen: unknown[] = [];
    const server = createServer((message, reply) => {
      seen.push(message.url, message.headers.authorization, message.headers['x-a']);
      reply.writeHead(500).end();
    });
    const port = await listen(server);
    const { run, events, counts } = setUp({ http: nodeHttp });
    const httpHeaders = [
      { name: 'authorization', value: 'Bearer secret' },
      { name: 'X-A', value: '1' },
    ];
    await run({ httpGet: { scheme: 'HTTPS', host: '127.0.0.1', port, path: '/x', httpHeaders } });
    expect(seen).toEqual(['/x', undefined, '1']);
    expect(counts.get('kubelet_lifecycle_handler_http_fallbacks_total')).toBe(1);
    expect(events.list()).toMatchObject([
      {
        object: { kind: 'Pod', name: 'web', namespace: 'default', uid: '123' },
        type: 'Warning',
        reason: 'LifecycleHTTPFallback',
        message: `request to HTTPS lifecycle hook 127.0.0.1:${String(port)} got HTTP response, retry with HTTP succeeded`,
      },
    ]);
    expect(events.list()[0]?.object).not.toHaveProperty('fieldPath');
  });

  it('report the first error when plain HTTP fails too', async () => {
    const http = scriptedHttp(({ scheme }) =>
      Promise.reject(
        scheme === 'https' ? new HttpError('PlainHttpServer', 'plain') : new HttpError('Transport', 'EOF'),
      ),
    );
    const { run, events, counts } = setUp({ http });
    await expect(run({ httpGet: { scheme: 'HTTPS', port: 443 } })).rejects.toThrow(
      'Get "https://10.0.0.1:443/": plain',
    );
    expect(http.requests.map(({ scheme }) => scheme)).toEqual(['https', 'http']);
    expect([events.list(), counts.size]).toEqual([[], 0]);
  });

  it('send credentials over TLS', async () => {
    const { run, events, http } = setUp();
    await run({ httpGet: { scheme: 'HTTPS', port: 443, httpHeaders: [{ name: 'Authorization', value: 'Basic x' }] } });
    expect(http.requests).toMatchObject([{ scheme: 'https' }]);
    expect(http.requests[0]?.headers).toContainEqual(['Authorization', 'Basic x']);
    expect(events.list()).toEqual([]);
  });
});

describe('sleep hooks', () => {
  it('sleep for their duration', async () => {
    const { run, clock, counts } = setUp();
    let ended = false;
    void run({ sleep: { seconds: 5 } }).then(() => (ended = true));
    await clock.advance(4999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect([ended, clock.pendingTimers, counts.size]).toEqual([true, 0, 0]);
  });

  it('fail when they are aborted', async () => {
    const { run, clock, counts } = setUp();
    const controller = new AbortController();
    const hook = run({ sleep: { seconds: 5 } }, controller.signal);
    await clock.advance(1000);
    controller.abort();
    await expect(hook).rejects.toMatchObject({
      reason: 'SleepHookFailed',
      message:
        'Sleep lifecycle hook (5) for Container "app" in Pod "web_default(123)" failed - error: container terminated before sleep hook finished',
    });
    expect([clock.pendingTimers, counts.get('kubelet_sleep_action_terminated_early_total')]).toEqual([0, 1]);
  });
});

describe('any hook', () => {
  it('fails with an unsupported handler', async () => {
    const { run } = setUp();
    await expect(run({ tcpSocket: { port: 80 } })).rejects.toMatchObject({
      reason: 'InvalidHandler',
      message: expect.stringMatching(/^Cannot run handler: invalid handler/) as string,
    });
  });

  it.each<[string, LifecycleHandler]>([
    ['exec', { exec: { command: ['x'] } }],
    ['httpGet', { httpGet: { port: 80 } }],
    ['httpGet, reading the IP', { httpGet: { port: 80, host: '' } }],
    ['sleep', { sleep: { seconds: 1 } }],
  ])('is aborted by its signal and by disposal: %s', async (what, handler) => {
    const hang = (signal: AbortSignal | undefined): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    const { run, hooks, clock } = setUp({
      runtime: { execSync: (_request, options) => hang(options?.signal) },
      http: scriptedHttp((_request, { signal }) => hang(signal)),
      podIp: what.includes('IP') ? (_pod, signal) => hang(signal) : async () => '10.0.0.1',
    });
    const controller = new AbortController();
    const first = run(handler, controller.signal);
    const second = run(handler);
    const firstEnd = expect(first).rejects.toMatchObject({ name: 'LifecycleHookError' });
    const secondEnd = expect(second).rejects.toMatchObject({ name: 'LifecycleHookError' });
    await clock.settle();
    controller.abort(new Error('enough'));
    await firstEnd;
    await hooks[Symbol.asyncDispose]();
    await secondEnd;
    expect(clock.pendingTimers).toBe(0);
    await expect(run(handler)).rejects.toMatchObject({ name: 'LifecycleHookError' });
  });

  it('runs on the system clock', async () => {
    const { run } = setUp({ clock: systemClock });
    await run({ sleep: { seconds: 0 } });
  });
});
