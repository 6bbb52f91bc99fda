import { describe, expect, it } from 'vitest';
import { HttpError } from '@rxlet/component-base/http';
import { createVirtualClock, scriptedHttp } from '@rxlet/component-base/testing';
import { type ExecSyncResponse, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Container, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { createProbeRunner } from './create-probe-runner.ts';
import { DialError, type GrpcReply, type GrpcRequest, type ProbeNetwork } from './network/probe-network.ts';
import type { ProbeOutcome } from './probe-runner.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const executed = (exitCode: number, stdout = '', stderr = ''): ExecSyncResponse => ({
  exitCode,
  stdout: encode(stdout),
  stderr: encode(stderr),
});
const forever = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

interface World {
  readonly execSync?: RuntimeService['execSync'];
  readonly network?: Partial<ProbeNetwork>;
  readonly container?: Partial<Container>;
  readonly podIp?: string | undefined;
}

function setUp(world: World = {}) {
  const clock = createVirtualClock();
  const refuse = (): never => {
    throw new Error('not scripted');
  };
  const network = { http: scriptedHttp(refuse), dial: refuse, connectGrpc: refuse, ...world.network };
  const runner = createProbeRunner({ clock, network, runtime: { execSync: world.execSync ?? refuse } });
  const pod = testPod({ containers: [{ name: 'app', ...world.container }] });
  const controller = new AbortController();
  const run = (probe: Probe): Promise<ProbeOutcome> =>
    runner.run(
      {
        kind: 'liveness',
        pod,
        container: pod.spec!.containers[0]!,
        containerId: 'c1',
        probe,
        timeoutMs: 3000,
        podIp: 'podIp' in world ? world.podIp : '10.0.0.1',
      },
      controller.signal,
    );
  /** Runs the probe on the virtual clock. Returns its duration and outcome. */
  const runOut = async (probe: Probe): Promise<[number, ProbeOutcome | undefined]> => {
    let outcome: ProbeOutcome | undefined;
    const began = clock.monotonicNow();
    void run(probe).then((ended) => (outcome = ended));
    await clock.runUntil(() => outcome !== undefined);
    return [clock.monotonicNow() - began, outcome];
  };
  return { run, runOut, clock, controller };
}

describe('exec probes', () => {
  it('run in the container with their timeout, and report their output', async () => {
    const calls: unknown[] = [];
    const { run } = setUp({
      execSync: async (request) => {
        calls.push(request);
        return executed(0, 'out', 'err');
      },
    });
    expect(await run({ exec: { command: ['cat', '/healthy'] } })).toEqual({ result: 'success', output: 'outerr' });
    expect(calls).toEqual([{ containerId: 'c1', cmd: ['cat', '/healthy'], timeout: 3n }]);
  });

  it('fail with any other exit code, and keep 10 KiB of output', async () => {
    const { run } = setUp({ execSync: async () => executed(1, 'x'.repeat(10_000), 'y'.repeat(1000)) });
    const { result, output } = await run({ exec: { command: ['false'] } });
    expect([result, output]).toEqual(['failure', `${'x'.repeat(10_000)}${'y'.repeat(240)}`]);
  });

  it('fail at their timeout, and have no result when they cannot run', async () => {
    const refusing = (code: StatusCode) => setUp({ execSync: () => Promise.reject(new ServiceError(code, 'no luck')) });
    expect(await refusing(StatusCode.DeadlineExceeded).run({ exec: { command: ['sleep', '9'] } })).toEqual({
      result: 'failure',
      output: 'command timed out: "sleep 9" timed out after 3s',
    });
    await expect(refusing(StatusCode.Unknown).run({ exec: { command: ['x'] } })).rejects.toMatchObject({
      name: 'ProbeError',
      reason: 'unknown',
      message: 'rpc error: code = Unknown desc = no luck',
    });
  });

  it('expand variables with literal values', async () => {
    const commands: unknown[] = [];
    const { run } = setUp({
      container: {
        env: [
          { name: 'A', value: 'a' },
          { name: 'B', value: '$(A)' },
          { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
      },
      execSync: async ({ cmd }) => {
        commands.push(cmd);
        return executed(0);
      },
    });
    await run({ exec: { command: ['$(A)$(B)', '[$(SECRET)]', '$(OTHER)', '$$(A)'] } });
    expect(commands).toEqual([['a$(A)', '[]', '$(OTHER)', '$(A)']]);
  });
});

describe('HTTP probes', () => {
  const get = { httpGet: { port: 80, path: '/healthz' } };
  const answering = (status: number, text = '', more: object = {}) =>
    setUp({ network: { http: scriptedHttp(() => ({ status, body: encode(text), ...more })) } });

  it('send a request to the pod as kube-probe', async () => {
    const http = scriptedHttp(() => ({ status: 200 }));
    const { run } = setUp({ network: { http }, container: { ports: [{ name: 'web', containerPort: 8080 }] } });
    await run({ httpGet: { port: 'web', scheme: 'HTTPS' } });
    await run({ httpGet: { port: 80, host: 'example.com' } });
    expect(http.requests).toMatchObject([
      { scheme: 'https', hostname: '10.0.0.1', port: 8080, path: '/' },
      { scheme: 'http', hostname: 'example.com', port: 80 },
    ]);
    expect(http.requests[0]?.headers).toEqual([
      ['User-Agent', 'kube-probe/1.36'],
      ['Accept', '*/*'],
    ]);
  });

  it.each([
    [200, { result: 'success', output: 'text' }],
    [299, { result: 'success', output: 'text' }],
    [399, { result: 'warning', output: 'Probe terminated redirects, Response body: text' }],
    [400, { result: 'failure', output: 'HTTP probe failed with statuscode: 400' }],
    [503, { result: 'failure', output: 'HTTP probe failed with statuscode: 503' }],
    [199, { result: 'failure', output: 'HTTP probe failed with statuscode: 199' }],
  ])('return the outcome for status %d', async (status, outcome) => {
    expect(await answering(status, 'text').run(get)).toEqual(outcome);
  });

  it('warn of a redirect to another host, and follow one on the same host', async () => {
    expect((await answering(302, '', { location: 'http://example.com/' }).run(get)).result).toBe('warning');
    const http = scriptedHttp(({ path }) => (path === '/next' ? { status: 200 } : { status: 302, location: '/next' }));
    expect((await setUp({ network: { http } }).run(get)).result).toBe('success');
  });

  it('fail without a response, and have no result when the body breaks off', async () => {
    const http = scriptedHttp(() => Promise.reject(new HttpError('Transport', 'EOF')));
    expect(await setUp({ network: { http } }).run(get)).toEqual({
      result: 'failure',
      output: 'Get "http://10.0.0.1:80/healthz": EOF',
    });
    await expect(answering(200, 'half', { bodyError: 'unexpected EOF' }).run(get)).rejects.toMatchObject({
      name: 'ProbeError',
      reason: 'failure',
      message: 'unexpected EOF',
    });
  });

  it('fail at their timeout', async () => {
    const http = scriptedHttp((_request, { signal }) => forever(signal));
    const { runOut, clock } = setUp({ network: { http } });
    const output =
      'Get "http://10.0.0.1:80/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    expect(await runOut(get)).toEqual([3000, { result: 'failure', output }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('return no result when the body exceeds the timeout', async () => {
    const http = scriptedHttp((_request, { signal, onHeaders }) => {
      onHeaders?.();
      return forever(signal);
    });
    const { run, clock } = setUp({ network: { http } });
    const ended = expect(run(get)).rejects.toMatchObject({
      name: 'ProbeError',
      reason: 'failure',
      message: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    });
    await clock.advance(3000);
    await ended;
    expect(clock.pendingTimers).toBe(0);
  });

  it('return no result without a pod IP or with an unknown port', async () => {
    for (const probe of [get, { tcpSocket: { port: 80 } }, { grpc: { port: 80 } }]) {
      await expect(setUp({ podIp: undefined }).run(probe)).rejects.toMatchObject({
        name: 'ProbeError',
        reason: 'unknown',
        message: 'the pod has no IP',
      });
    }
    for (const probe of [{ httpGet: { port: 'x' } }, { tcpSocket: { port: 'x' } }]) {
      await expect(setUp().run(probe)).rejects.toMatchObject({
        name: 'ProbeError',
        message: 'strconv.Atoi: parsing "x": invalid syntax',
      });
    }
  });
});

describe('TCP probes', () => {
  it('succeed with a connection to the pod or a host', async () => {
    const dialled: unknown[] = [];
    const dial: ProbeNetwork['dial'] = async (hostname, port) => void dialled.push([hostname, port]);
    const { run } = setUp({ network: { dial }, container: { ports: [{ name: 'db', containerPort: 5432 }] } });
    expect(await run({ tcpSocket: { port: 'db' } })).toEqual({ result: 'success', output: '' });
    await run({ tcpSocket: { port: 1, host: 'fd00::1' } });
    expect(dialled).toEqual([
      ['10.0.0.1', 5432],
      ['fd00::1', 1],
    ]);
  });

  it('fail without a connection', async () => {
    const dial: ProbeNetwork['dial'] = () =>
      Promise.reject(new DialError('dial tcp 10.0.0.1:80: connect: no route to host'));
    expect(await setUp({ network: { dial } }).run({ tcpSocket: { port: 80 } })).toEqual({
      result: 'failure',
      output: 'dial tcp 10.0.0.1:80: connect: no route to host',
    });
    const { runOut } = setUp({ network: { dial: (_hostname, _port, signal) => forever(signal) } });
    const output = 'dial tcp [fd00::1]:80: i/o timeout';
    expect(await runOut({ tcpSocket: { port: 80, host: 'fd00::1' } })).toEqual([3000, { result: 'failure', output }]);
  });
});

describe('gRPC probes', () => {
  const probe = { grpc: { port: 50_051, service: 'db' } };
  function answering(reply: Partial<GrpcReply> | 'hang') {
    const calls: GrpcRequest[] = [];
    let closed = 0;
    const network: Partial<ProbeNetwork> = {
      connectGrpc: async () => ({
        call: async (request, signal) => {
          calls.push(request);
          return reply === 'hang' ? forever(signal) : { code: 0, details: '', message: undefined, ...reply };
        },
        [Symbol.dispose]: () => void (closed += 1),
      }),
    };
    return { ...setUp({ network }), calls, closed: () => closed };
  }
  const serving = (status: number): Partial<GrpcReply> => ({ message: Uint8Array.of(8, status) });

  it('check the health of the service, and close the connection', async () => {
    const { run, calls, closed } = answering(serving(1));
    expect(await run(probe)).toEqual({ result: 'success', output: 'service healthy' });
    expect(calls).toEqual([
      {
        path: '/grpc.health.v1.Health/Check',
        userAgent: 'kube-probe/1.36',
        message: Uint8Array.of(10, 2, ...encode('db')),
      },
    ]);
    await run({ grpc: { port: 1 } });
    expect([calls[1]?.message, closed()]).toEqual([new Uint8Array(), 2]);
  });

  it.each<[string, Partial<GrpcReply>]>([
    ['service unhealthy (responded with "NOT_SERVING")', serving(2)],
    ['service unhealthy (responded with "SERVICE_UNKNOWN")', serving(3)],
    ['service unhealthy (responded with "UNKNOWN")', { message: new Uint8Array() }],
    ['service unhealthy (responded with "9")', serving(9)],
    [
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
      { code: 5, details: 'unknown service' },
    ],
    [
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown method',
      { code: 12, details: 'unknown method' },
    ],
    ['timeout: health rpc did not complete within 3s', { code: 4 }],
    [
      'error: health rpc probe failed: rpc error: code = Internal desc = the response is not a health check response',
      { message: Uint8Array.of(255) },
    ],
  ])('fail: %s', async (output, reply) => {
    expect(await answering(reply).run(probe)).toEqual({ result: 'failure', output });
  });

  it('fail when the call exceeds the timeout', async () => {
    const { runOut, closed } = answering('hang');
    const output = 'timeout: health rpc did not complete within 3s';
    expect(await runOut(probe)).toEqual([3000, { result: 'failure', output }]);
    expect(closed()).toBe(1);
  });

  it('retry the connection until their timeout', async () => {
    let attempts = 0;
    const connectGrpc: ProbeNetwork['connectGrpc'] = () => {
      attempts += 1;
      return Promise.reject(new DialError('refused'));
    };
    const { runOut, clock } = setUp({ network: { connectGrpc } });
    const output = 'timeout: failed to connect service "10.0.0.1:50051" within 3s: context deadline exceeded';
    expect(await runOut(probe)).toEqual([3000, { result: 'failure', output }]);
    // At 0, 1 and 2.6 s.
    expect([attempts, clock.pendingTimers]).toEqual([3, 0]);
  });
});

describe('any probe', () => {
  it('aborts with its signal', async () => {
    const network: Partial<ProbeNetwork> = {
      http: scriptedHttp((_request, { signal }) => forever(signal)),
      dial: (_hostname, _port, signal) => forever(signal),
      connectGrpc: (_hostname, _port, signal) => forever(signal),
    };
    const { run, controller, clock } = setUp({ network, execSync: (_request, options) => forever(options?.signal) });
    const reason = new Error('the probe has ended');
    const ends = [
      { exec: { command: ['x'] } },
      { httpGet: { port: 1 } },
      { tcpSocket: { port: 1 } },
      { grpc: { port: 1 } },
    ].map((probe) => expect(run(probe)).rejects.toBe(reason));
    await clock.settle();
    controller.abort(reason);
    await Promise.all(ends);
    expect(clock.pendingTimers).toBe(0);
    await expect(run({ tcpSocket: { port: 1 } })).rejects.toBe(reason);
  });

  it('has no result without a handler', async () => {
    await expect(setUp().run({})).rejects.toMatchObject({
      name: 'ProbeError',
      message: 'missing probe handler for web_default(uid-web):app',
    });
  });
});
