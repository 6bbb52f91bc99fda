import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, shell, type TestNode } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const RXLET = fileURLToPath(new URL('../bin/rxlet', import.meta.url));
const TIMEOUT = { timeout: 120_000 };

/** A program with its output so far. */
interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function run(program: string, ...args: string[]): Running {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  child.stdin.on('error', () => undefined);
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}

describeOnEachRuntime('streams', {}, (startNode) => {
  let node: TestNode;
  let agent: AgentUnderTest;
  beforeAll(async () => {
    node = await startNode();
    agent = await node.agent();
    await agent.write('web', {
      containers: [
        {
          name: 'server',
          ...shell(
            "trap 'exit 0' TERM; mkdir /www; echo page > /www/index.html; httpd -p 8080 -h /www; while :; do sleep 0.1; done",
          ),
          ports: [{ name: 'web', containerPort: 8080 }],
        },
        { name: 'reader', ...shell('while read line; do echo "read $line"; done; sleep 1000'), stdin: true },
      ],
      terminationGracePeriodSeconds: 1,
    });
    for (const name of ['server', 'reader']) {
      await agent.eventually(`${name} runs`, () => agent.running('web', name));
    }
    await agent.eventually('the agent shows it', async () => (await agent.pod('web'))?.status?.phase === 'Running');
  }, 120_000);
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
  }, 120_000);

  const rxlet = (...args: string[]): Running => run(RXLET, '--root-dir', agent.folders.root, ...args);
  const until = (what: string, { output }: Running, pattern: RegExp): Promise<RegExpExecArray> =>
    agent.eventually(`${what}: ${String(pattern)}`, async () => pattern.exec(output()) ?? undefined);

  it('exec with a terminal', TIMEOUT, async () => {
    const command = `stty rows 33 cols 77; exec ${RXLET} --root-dir ${agent.folders.root} exec -it web -c server -- sh`;
    const session = run('script', '-qefc', command, '/dev/null');
    await until('a prompt', session, /\/ # /);
    session.child.stdin!.write('stty size; tty; exit 7\n');
    expect(await session.ended).toBe(7);
    expect(session.output()).toMatch(/33 77\s+\/dev\/pts\/\d+/);
  });

  it('exec without a terminal', TIMEOUT, async () => {
    const copied = rxlet('exec', '-i', 'web', '-c', 'server', '--', 'sh', '-c', 'cat; echo oops >&2; exit 4');
    copied.child.stdin!.end('hello\n');
    expect(await copied.ended).toBe(4);
    expect(copied.output()).toMatch(/hello[^]*oops[^]*command terminated with exit code 4/);
    const ran = rxlet('run', 'web', '-c', 'server', '--', 'cat', '/www/index.html');
    expect(await ran.ended).toBe(0);
    expect(ran.output()).toBe('page\n');
  });

  it('attach', TIMEOUT, async () => {
    const attached = rxlet('attach', '-i', '-q', 'web', '-c', 'reader');
    attached.child.stdin!.write('one\n');
    await until('its answer', attached, /read one\n/);
    attached.child.stdin!.write('two\n');
    await until('its answer', attached, /read two\n/);
    attached.child.kill('SIGINT');
    expect(await attached.ended).toBe(130);
  });

  it('cp, to and from the container', TIMEOUT, async () => {
    const [from, to] = [join(node.folder, 'from'), join(node.folder, 'to')];
    await mkdir(join(from, 'sub'), { recursive: true });
    const large = Buffer.alloc(5_000_000, 'rxlet');
    await writeFile(join(from, 'large'), large);
    await writeFile(join(from, 'sub/small'), 'small\n');
    expect(await rxlet('cp', from, 'web:/tmp', '-c', 'server').ended).toBe(0);
    const sums = rxlet('exec', 'web', '-c', 'server', '--', 'sha256sum', '/tmp/from/large', '/tmp/from/sub/small');
    expect(await sums.ended).toBe(0);
    expect(sums.output()).toContain(createHash('sha256').update(large).digest('hex'));
    expect(await rxlet('cp', 'default/web:/tmp/from', to, '-c', 'server').ended).toBe(0);
    expect((await readFile(join(to, 'large'))).equals(large)).toBe(true);
    expect(await readFile(join(to, 'sub/small'), 'utf8')).toBe('small\n');
    expect((await readdir(to)).toSorted()).toEqual(['large', 'sub']);
    const missing = rxlet('cp', 'web:/tmp/absent', to, '-c', 'server');
    expect(await missing.ended).not.toBe(0);
    expect(missing.output()).toContain('/tmp/absent');
  });

  it('port-forward, for connections side by side', TIMEOUT, async () => {
    const forward = rxlet('port-forward', 'web', ':web', ':1');
    const [, port] = await until('a port', forward, /127\.0\.0\.1:(\d+) -> 8080/);
    const [, closed] = await until('another port', forward, /127\.0\.0\.1:(\d+) -> 1\n/);
    const get = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port!}/`)).text();
    expect(await Promise.all(Array.from({ length: 10 }, get))).toEqual(Array.from({ length: 10 }, () => 'page\n'));
    await expect(fetch(`http://127.0.0.1:${closed!}/`)).rejects.toThrow();
    await until('the failure', forward, /an error occurred forwarding \d+ -> 1: .*refused/i);
    expect(await get()).toBe('page\n');
    forward.child.kill('SIGINT');
    expect(await forward.ended).toBe(0);
  });
});
