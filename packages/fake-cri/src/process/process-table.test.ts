import { NamespaceMode } from '@rxlet/cri-api';
import { expect, it, describe, beforeEach, afterEach } from 'vitest';
import { type Bench, createBench } from '../test-support.ts';

const text = new TextDecoder();
let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
  for (const image of ['nginx', 'httpd']) await bench.fake.images.pullImage({ image: { image } });
});
afterEach(() => bench.fake[Symbol.asyncDispose]());

/** Starts a container of a pod. @returns its id. */
async function start(podSandboxId: string, name: string, pid: NamespaceMode, command: string[], targetId = '') {
  const containerId = await bench.create(podSandboxId, {
    metadata: { name },
    image: { image: command.length === 0 ? 'nginx' : 'busybox' },
    command,
    linux: { securityContext: { namespaceOptions: { pid, targetId } } },
  });
  await bench.fake.runtime.startContainer({ containerId });
  await bench.clock.settle();
  return containerId;
}

async function exec(containerId: string, ...cmd: string[]): Promise<string> {
  const { stdout, stderr } = await bench.fake.runtime.execSync({ containerId, cmd });
  return text.decode(stdout) + text.decode(stderr);
}

describe('the processes that a container sees', () => {
  it('include only its own, with its program first', async () => {
    const sandbox = await bench.runSandbox();
    await start(sandbox, 'other', NamespaceMode.CONTAINER, ['sleep', '1000']);
    const web = await start(sandbox, 'web', NamespaceMode.CONTAINER, []);
    expect(await exec(web, 'cat', '/proc/1/cmdline')).toBe('nginx: master process nginx -g daemon off;\0');
    expect(await exec(web, 'cat', '/proc/1/comm', '/var/run/nginx.pid')).toBe('nginx\n1\n');
    expect(await exec(web, 'pidof', 'nginx')).toBe('1\n');
    expect((await exec(web, 'ps')).split('\n')).toEqual([
      '  PID USER     TIME  COMMAND',
      '    1 root      0:00 nginx: master process nginx -g daemon off;',
      expect.stringMatching(/^ +\d+ root {6}0:00 ps$/),
      '',
    ]);
  });

  it('include those of its pod when it shares them, without a process of its own as the first', async () => {
    const sandbox = await bench.runSandbox();
    const one = await start(sandbox, 'one', NamespaceMode.POD, ['sleep', '1000']);
    await start(sandbox, 'two', NamespaceMode.POD, []);
    await start(await bench.runSandbox(), 'elsewhere', NamespaceMode.POD, ['tail', '-f', '/dev/null']);
    expect(await exec(one, 'cat', '/proc/1/cmdline')).toBe('/pause\0');
    expect(await exec(one, 'sh', '-c', 'pgrep nginx | wc -l; pgrep tail; pgrep -f "daemon off" | wc -l')).toBe(
      '1\n1\n',
    );
  });

  it('include and stop all of the node when it shares those', async () => {
    const web = await start(await bench.runSandbox(), 'web', NamespaceMode.CONTAINER, []);
    const admin = await start(await bench.runSandbox(), 'admin', NamespaceMode.NODE, ['sleep', '1000']);
    await exec(admin, 'sh', '-c', 'kill $(pidof nginx)');
    expect((await bench.container(web)).exitCode).toBe(143);
    expect((await bench.container(admin)).exitCode).toBe(0);
  });

  it('include those of its target', async () => {
    const sandbox = await bench.runSandbox();
    const web = await start(sandbox, 'web', NamespaceMode.CONTAINER, []);
    const debug = await start(sandbox, 'debug', NamespaceMode.TARGET, ['sleep', '1000'], web);
    expect(await exec(debug, 'pidof', 'nginx')).toBe('1\n');
    expect(await exec(web, 'sh', '-c', 'pgrep sleep | wc -l')).toBe('1\n');
  });

  it('end with a timeout of their exec', async () => {
    const id = await start(await bench.runSandbox(), 'one', NamespaceMode.CONTAINER, ['tail', '-f', '/dev/null']);
    const slow = bench.fake.runtime.execSync({ containerId: id, cmd: ['sleep', '1000'], timeout: 1n });
    const failed = slow.then(
      () => false,
      () => true,
    );
    await bench.clock.settle();
    expect(await exec(id, 'sh', '-c', 'pgrep sleep | wc -l')).toBe('1\n');
    await bench.clock.advance(1000);
    expect(await failed).toBe(true);
    expect(await exec(id, 'sh', '-c', 'pgrep sleep || true')).toBe('');
  });
});

describe('the network of a container', () => {
  it('shows the ports that listen in its pod, which are those of the host with its network', async () => {
    const own = await bench.runSandbox();
    const web = await start(own, 'web', NamespaceMode.CONTAINER, []);
    expect(await exec(web, 'netstat', '-ln')).toMatch(/^tcp +0 +0 10\.244\.\d+\.\d+:80 .* LISTEN$/m);
    const other = await start(await bench.runSandbox(), 'other', NamespaceMode.CONTAINER, ['sleep', '1000']);
    expect(await exec(other, 'netstat', '-ln')).not.toContain('LISTEN');
  });

  it('maps ports of the host to those of the pod while the container runs', async () => {
    const sandbox = await bench.runSandbox('web', {
      portMappings: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 80, hostPort: 8081, hostIp: '127.0.0.9' },
        { containerPort: 81, hostPort: 8082 },
      ],
    });
    const web = await start(sandbox, 'web', NamespaceMode.CONTAINER, []);
    const get = (ip: string, port: number): Promise<number> =>
      bench.fake.network.httpGet(ip, port, '/').then(
        ({ status }) => status,
        () => 0,
      );
    expect([await get('127.0.0.1', 8080), await get('127.0.0.9', 8081), await get('127.0.0.1', 8082)]).toEqual([
      200, 200, 0,
    ]);
    await bench.fake.runtime.stopContainer({ containerId: web, timeout: 0n });
    expect(await get('127.0.0.1', 8080)).toBe(0);
  });
});

describe('memory', () => {
  it('ends a program that takes more than its limit', async () => {
    const command = ['sh', '-c', 'dd if=/dev/zero of=/dev/null bs=20M'];
    const [small, large] = await Promise.all(
      [15n, 30n].map(async (mebibytes) => {
        const linux = { resources: { memoryLimitInBytes: mebibytes * 1024n * 1024n } };
        const containerId = await bench.create(await bench.runSandbox(), { command, linux });
        await bench.fake.runtime.startContainer({ containerId });
        await bench.clock.advance(60_000);
        return bench.container(containerId);
      }),
    );
    expect([small!.exitCode, small!.reason]).toEqual([137, 'OOMKilled']);
    expect(large!.finishedAt).toBe(0n);
  });
});
