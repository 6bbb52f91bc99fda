import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { availableParallelism, networkInterfaces, totalmem } from 'node:os';
import { join } from 'node:path';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './test-support/free-port.ts';
import { type ClusterNode, startClusterNode } from './test-support/cluster-node.ts';
import { shell } from './test-support/containerd-node.ts';
import { controlPlaneUnavailable } from '@rxlet/test-containerd/control-plane';
import { type MetricsServer, startMetricsServer } from './test-support/metrics-server.ts';
import { pod } from './test-support/workloads.ts';

const unavailable = controlPlaneUnavailable() ?? containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const COPIED_BYTES = 100 * 1024 * 1024;
const FORWARDED = 100;
/** Excess of a measurement that its own duration explains. */
const TOLERANCE = 1.5;

describe.skipIf(unavailable !== undefined)("the kubelet's API behind a Kubernetes API server", () => {
  let cluster: ClusterNode;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    const port = await freePort('0.0.0.0');
    cluster = await startClusterNode(async ({ caPath, issue }) => {
      const { certificate, key } = await issue('node-serving', {
        commonName: 'node1',
        hosts: ['node1', ...addressesOfThisMachine()],
        usages: ['server auth'],
      });
      return {
        enableServer: true,
        port,
        healthzPort: 0,
        tlsCertFile: certificate,
        tlsPrivateKeyFile: key,
        authentication: { x509: { clientCAFile: caPath } },
      };
    });
    await cluster.eventually('the node is ready', () => cluster.readyNode());
    const script =
      'echo started; echo warned >&2; mkdir -p /www; echo page > /www/index.html; httpd -p 8080 -h /www; cat';
    const containers = [{ name: 'main', ...shell(script), stdin: true }];
    await cluster.apply(pod('web', '', { containers }));
    await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/web', '--timeout=60s']);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Starts kubectl, with its standard input open. */
  const start = (...args: readonly string[]) => {
    const { adminKubeconfig } = cluster.controlPlane;
    const program = join(process.env['RXLET_TEST_CONTROL_PLANE']!, 'kubectl');
    const child = spawn(program, ['--kubeconfig', adminKubeconfig, ...args]);
    children.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exited = once(child, 'close').then(([code]) => code as number | null);
    return { child, exited, output: () => output };
  };
  const run = async (...args: readonly string[]): Promise<{ code: number | null; output: string }> => {
    const { child, exited, output } = start(...args);
    child.stdin.end();
    return { code: await exited, output: output() };
  };

  describe('with a metrics server', () => {
    let metrics: MetricsServer;

    beforeAll(async () => {
      metrics = await startMetricsServer(cluster.controlPlane);
      const limits = { cpu: '100m', memory: '64Mi' };
      const containers = [{ name: 'loop', ...shell('while :; do :; done'), resources: { limits } }];
      await cluster.apply(pod('busy', '', { containers }));
      await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/busy', '--timeout=60s']);
    });
    afterAll(() => metrics?.[Symbol.asyncDispose]());

    /** Returns the columns of the row of `kubectl top` that begins with these words. */
    const top = async (what: readonly string[], ...row: readonly string[]): Promise<readonly string[]> => {
      let output = '';
      const columns = await cluster
        .eventually('there are measurements', async () => {
          ({ output } = await run('top', ...what, '--no-headers'));
          const rows = output.split('\n').map((line) => line.trim().split(/\s+/));
          return rows.find((found) => row.every((word, index) => found[index] === word) && !found.includes('0m'));
        })
        .catch((error: unknown) => {
          throw new Error(`kubectl top: ${output}, metrics server: ${metrics.failure()}`, { cause: error });
        });
      return columns.slice(row.length);
    };

    it('shows the usage of the node', async () => {
      const [cpu = '', cpuShare = '', memory = '', memoryShare = ''] = await top(['node'], 'node1');
      expect(cpu).toMatch(/^[1-9]\d*m$/);
      expect(Number.parseInt(cpu, 10)).toBeLessThanOrEqual(availableParallelism() * 1000 * TOLERANCE);
      expect(memory).toMatch(/^[1-9]\d*Mi$/);
      expect(Number.parseInt(memory, 10)).toBeLessThan(totalmem() / 2 ** 20);
      expect([cpuShare, memoryShare].map((share) => /^\d+%$/.test(share))).toEqual([true, true]);
    });

    it('shows the usage of pods and containers', async () => {
      const [cpu = '', memory = ''] = await top(['pod'], 'busy');
      expect(Number.parseInt(cpu, 10)).toBeLessThanOrEqual(100 * TOLERANCE);
      expect(memory).toMatch(/^\d+Mi$/);
      expect(Number.parseInt(memory, 10)).toBeLessThan(64);
      const [containerCpu = ''] = await top(['pod', '--containers'], 'busy', 'loop');
      expect(Number.parseInt(containerCpu, 10)).toBeGreaterThan(0);
    });
  });

  it('has the logs of containers', async () => {
    expect((await cluster.kubectl(['logs', 'web'])).split('\n').sort()).toEqual(['', 'started', 'warned']);
    expect(await cluster.kubectl(['logs', 'web', '--tail=1', '--timestamps'])).toMatch(/^\d{4}-[^ ]+Z \w+\n$/);
    expect((await run('logs', 'web', '--previous')).output).toContain(
      'previous terminated container "main" in pod "web" not found',
    );
    const following = start('logs', '--follow', 'web');
    await cluster.eventually('the log is followed', () => Promise.resolve(following.output().includes('warned')));
    following.child.kill();
    await following.exited;
  });

  it('runs commands, with their exit codes and input', async () => {
    expect(await run('exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3')).toMatchObject({ code: 3 });
    const { child, exited, output } = start('exec', '-i', 'web', '--', 'sh', '-c', 'wc -c');
    child.stdin.end('x'.repeat(1_000_000));
    expect(await exited).toBe(0);
    expect(output().trim()).toBe('1000000');
    expect((await run('exec', 'web', '-c', 'nope', '--', 'true')).output).toContain('nope');
  });

  it('has terminals that follow the size of the client', async () => {
    const kubectl = `${join(process.env['RXLET_TEST_CONTROL_PLANE']!, 'kubectl')} --kubeconfig ${cluster.controlPlane.adminKubeconfig}`;
    const inside = 'while [ "$(stty size)" != "33 101" ]; do sleep 0.1; done; echo size is right; exit 5';
    const script = `tty=$(tty); stty rows 20 cols 50; (sleep 1; stty rows 33 cols 101 < $tty) & ${kubectl} exec -it web -- sh -c '${inside}'; echo exit $?`;
    const child = spawn('script', ['-q', '-e', '-c', script, '/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'] });
    children.add(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await cluster.eventually('the command has ended', () => Promise.resolve(output.includes('exit 5')));
    expect(output).toContain('size is right');
  });

  it('attaches to a running container', async () => {
    const { child, output } = start('attach', '-i', 'web');
    await cluster.eventually('input comes back', () => {
      child.stdin.write('echoed\n');
      return Promise.resolve(output().includes('echoed'));
    });
    child.kill();
  });

  it('debugs a pod with an ephemeral container', async () => {
    const { image } = shell('');
    const { child, output } = start('debug', '-i', 'web', `--image=${image}`, '--container=debugger', '--', 'cat');
    await cluster.eventually('input comes back', () => {
      child.stdin.write('debugged\n');
      return Promise.resolve(output().includes('debugged'));
    });
    child.kill();
  });

  it('copies 100 MB in both directions', async () => {
    const block = Buffer.alloc(COPIED_BYTES, 'rxlet ');
    const [from, to] = [join(cluster.folders.root, 'from'), join(cluster.folders.root, 'to')];
    await writeFile(from, block);
    await cluster.kubectl(['cp', from, 'web:/tmp/copied']);
    expect(await cluster.inside('web', 'main', 'sha256sum < /tmp/copied')).toContain(sha256(block));
    await cluster.kubectl(['cp', 'web:/tmp/copied', to]);
    expect(sha256(await readFile(to))).toBe(sha256(block));
  });

  it(`forwards ports to ${String(FORWARDED)} connections at a time`, async () => {
    const { child, output } = start('port-forward', 'web', ':8080');
    await cluster.eventually('the port is open', () =>
      Promise.resolve(output().includes('Forwarding from 127.0.0.1:')),
    );
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(output())![1]);
    const answers = await Promise.all(Array.from({ length: FORWARDED }, () => fetchText(port)));
    expect(new Set(answers)).toEqual(new Set(['page\n']));
    child.kill();
  });

  it('opens streams to clients that may create the proxy of the node, and to none that may only get it', async () => {
    const host = (await cluster.readyNode())!;
    const address = host.status!.addresses!.find(({ type }) => type === 'InternalIP')!.address;
    const base = `https://${address}:${String(host.status!.daemonEndpoints!.kubeletEndpoint!.Port)}`;
    /** Creates an account with one verb. @returns its token */
    const tokenWith = async (verb: string): Promise<string> => {
      const account = `streams-by-${verb}`;
      await cluster.kubectl(['create', 'serviceaccount', account]);
      await cluster.kubectl(['create', 'clusterrole', account, `--verb=${verb}`, '--resource=nodes/proxy']);
      const subject = `--serviceaccount=default:${account}`;
      await cluster.kubectl(['create', 'clusterrolebinding', account, `--clusterrole=${account}`, subject]);
      return (await cluster.kubectl(['create', 'token', account])).trim();
    };
    const statusOf = async (token: string): Promise<string> => {
      const headers = [
        `Authorization: Bearer ${token}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        'Sec-WebSocket-Protocol: v5.channel.k8s.io',
      ].flatMap((header) => ['-H', header]);
      const path = '/exec/default/web/main?command=true&output=1';
      const args = ['-sk', '--http1.1', '--max-time', '10', '-o', '/dev/null', '-w', '%{http_code}', ...headers];
      const { stdout } = spawn('curl', [...args, base + path]);
      let text = '';
      for await (const chunk of stdout) text += String(chunk);
      return text;
    };
    const [get, create] = [await tokenWith('get'), await tokenWith('create')];
    expect([await statusOf(get), await statusOf(create)]).toEqual(['403', '101']);

    // With the kubelet's verb, it is the other way round.
    await cluster.end('SIGTERM');
    cluster.startAgain('--permit-streams-by-get');
    await cluster.eventually('the port is open', async () => (await statusOf(get)) === '101');
    expect(await statusOf(create)).toBe('403');
    await cluster.end('SIGTERM');
    cluster.startAgain();
    await cluster.eventually('the port is open', async () => (await statusOf(create)) === '101');
    // The API server is an administrator of the kubelet's API either way.
    expect(await run('exec', 'web', '--', 'true')).toMatchObject({ code: 0 });
  });

  it('answers the node proxy, and those who may use it', async () => {
    const proxy = (path: string): Promise<string> =>
      cluster.kubectl(['get', '--raw', `/api/v1/nodes/node1/proxy${path}`]);
    expect(await proxy('/healthz')).toBe('ok');
    expect(await proxy('/pods')).toContain('"web"');
    expect(await proxy('/configz')).toContain('"kubeletconfig"');
    expect(await proxy('/metrics')).toContain('process_');
    const token = (await cluster.kubectl(['create', 'token', 'default'])).trim();
    const host = (await cluster.readyNode())!;
    const address = host.status!.addresses!.find(({ type }) => type === 'InternalIP')!.address;
    const base = `https://${address}:${String(host.status!.daemonEndpoints!.kubeletEndpoint!.Port)}`;
    const requestPath = async (path: string, authorization?: string): Promise<string> => {
      const { stdout } = spawn('curl', [
        '-sk',
        ...(authorization ? ['-H', `Authorization: ${authorization}`] : []),
        base + path,
      ]);
      let text = '';
      for await (const chunk of stdout) text += String(chunk);
      return text;
    };
    expect(await requestPath('/pods')).toBe('Unauthorized');
    expect(await requestPath('/pods', 'Bearer wrong')).toBe('Unauthorized');
    expect(await requestPath('/pods', `Bearer ${token}`)).toBe(
      'Forbidden (user=system:serviceaccount:default:default, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.split('%')[0]!),
  );
}

async function fetchText(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const call = get({ path: '/', createConnection: () => socket });
  const [response] = (await once(call, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return text;
}
