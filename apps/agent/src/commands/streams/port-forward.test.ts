import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseAddresses } from './listen-addresses.ts';
import { portForwardCommand, type PortForwardOptions } from './port-forward.ts';
import { parsePortSpec } from './port-specs.ts';
import { startStreamBench, type StreamBench } from './test-support.ts';

const options = (...ports: string[]): PortForwardOptions => ({
  pod: 'web',
  namespace: 'default',
  ports,
  address: '127.0.0.1',
});
/** Waits for the port that is listened on. */
async function listeningPort({ context: { terminal } }: StreamBench): Promise<number> {
  await terminal.until(1);
  return Number(/^Forwarding from 127\.0\.0\.1:(\d+) -> 80$/.exec(terminal.printed[0]!)?.[1]);
}
async function request(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET / HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
}

describe('rxlet port-forward', () => {
  it('carries connections side by side, and ends with an interruption', async () => {
    await using bench = await startStreamBench();
    const done = portForwardCommand(bench.context, options(':http'));
    const port = await listeningPort(bench);
    // A client that sends and reads nothing.
    const idle = connect({ port, host: '127.0.0.1' });
    const answers = await Promise.all([request(port), request(port), request(port)]);
    for (const answer of answers) expect(answer).toContain('It works!');
    expect(bench.context.terminal.printed).toContain(`Handling connection for ${String(port)}`);
    bench.context.terminal.interrupt();
    await done;
    await once(idle, 'close');
  });

  it('reports a port of the pod that nothing listens on, and goes on', async () => {
    await using bench = await startStreamBench();
    const { terminal } = bench.context;
    const done = portForwardCommand(bench.context, options(':81', ':80'));
    await terminal.until(2);
    const ports = terminal.printed.map((line) => Number(/:(\d+) ->/.exec(line)![1]));
    expect(await request(ports[0]!)).toBe('');
    await expect
      .poll(() => terminal.errors.join(), { interval: 1 })
      .toMatch(/an error occurred forwarding \d+ -> 81: error forwarding port 81 to pod .*ECONNREFUSED/);
    expect(await request(ports[1]!)).toContain('It works!');
    terminal.interrupt();
    await done;
  });

  it('reports a local port that is taken', async () => {
    await using bench = await startStreamBench();
    const done = portForwardCommand(bench.context, options(':80'));
    const taken = await listeningPort(bench);
    const second = portForwardCommand(bench.context, options(`${String(taken)}:80`));
    await expect(second).rejects.toThrow(`unable to listen on any of the requested ports: [${String(taken)}:80]`);
    expect(bench.context.terminal.errors[0]).toMatch(/^Unable to listen on port \d+: .*EADDRINUSE/);
    bench.context.terminal.interrupt();
    await done;
  });

  it('ends when the agent is gone', async () => {
    const bench = await startStreamBench();
    const done = portForwardCommand(bench.context, options(':80'));
    const lost = expect(done).rejects.toThrow('lost connection to pod');
    await listeningPort(bench);
    await bench[Symbol.asyncDispose]();
    await lost;
  });
});

describe('a port of rxlet port-forward', () => {
  const pod = {
    metadata: { name: 'web' },
    spec: {
      containers: [
        {
          name: 'main',
          ports: [
            { containerPort: 80, name: 'http' },
            { containerPort: 53, protocol: 'UDP' as const },
          ],
        },
      ],
    },
  };
  it.each([
    ['80', { local: 80, remote: 80 }],
    ['8080:80', { local: 8080, remote: 80 }],
    [':80', { local: 0, remote: 80 }],
    ['8080:http', { local: 8080, remote: 80 }],
    ['http', { local: 80, remote: 80 }],
  ])('%s', (text, spec) => {
    expect(parsePortSpec(text, pod)).toEqual(spec);
  });
  it.each([
    ['1:2:3', "invalid port format '1:2:3'"],
    ['80:', 'remote port cannot be empty'],
    ['80:0', 'remote port must be > 0'],
    ['x:80', "error parsing local port 'x': invalid syntax"],
    ['80:70000', "error parsing remote port '70000': value out of range"],
    ['grpc', "Pod 'web' does not have a named port 'grpc'"],
    ['53', 'UDP protocol is not supported for 53'],
  ])('is not %s', (text, message) => {
    expect(() => parsePortSpec(text, pod)).toThrow(message);
  });
  it('is listened on at IP addresses or localhost', () => {
    expect(parseAddresses('localhost,10.0.0.1')).toEqual([
      { host: '127.0.0.1', isOptional: true },
      { host: '::1', isOptional: true },
      { host: '10.0.0.1', isOptional: false },
    ]);
    expect(() => parseAddresses('example.org')).toThrow('example.org is not a valid IP');
  });
});
