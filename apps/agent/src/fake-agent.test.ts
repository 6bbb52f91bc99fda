import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@rxlet/test-containerd/eventually';
import { runRxlet } from './test-support/agent-process.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';

const RXLET = join(import.meta.dirname, '../bin/rxlet');
/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-fake-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts an agent as the first example of the README does, without a configuration file. */
function startFakeAgent(root: string) {
  const args = ['--fake-runtime', '--root-dir', join(folder, root), '--pod-manifest-path', join(folder, 'manifests')];
  const child = spawn(RXLET, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return {
    pid: child.pid!,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the addresses of the TCP sockets on which a process listens. */
async function listenersOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${String(pid)}/fd`);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${String(pid)}/fd/${name}`).catch(() => '')));
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${String(pid)}/net/${name}`, 'utf8')));
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && links.includes(`socket:[${inode!}]`))
    .map(([, address]) => address!);
}

async function writePod(name: string, spec: object): Promise<void> {
  await mkdir(join(folder, 'manifests'), { recursive: true });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await writeFile(join(folder, 'manifests', `${name}.json`), JSON.stringify(pod));
}

it('opens no TCP port, and runs beside another one', async () => {
  await writePod('web', { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '600'] }] });
  await using first = startFakeAgent('first');
  await using second = startFakeAgent('second');
  for (const agent of [first, second]) {
    await eventually('the pod runs', async () => agent.output().includes('pod is Running'), agent.output);
    expect(await listenersOf(agent.pid)).toEqual([]);
    expect(agent.output()).not.toContain('"level":"error"');
  }
});

it('prints the flags that several agents on one machine need', async () => {
  const { stdout } = await runRxlet('options');
  for (const flag of ['root-dir', 'hostname-override', 'cert-dir', 'port', 'read-only-port', 'healthz-port', 'address'])
    expect(stdout).toContain(`  --${flag} <`);
  expect(stdout).toContain('Several agents on one machine need');
});

it('changes nothing outside of its root directory', async () => {
  await mkdir(join(folder, 'outside'));
  await writeFile(join(folder, 'outside/file'), 'before\n');
  const hostPath = (name: string, type: string) => ({ name, hostPath: { path: join(folder, 'outside', name), type } });
  const script = 'echo x > /made/log; echo x > /file; cat /made/log && sleep 600';
  await writePod('web', {
    containers: [
      {
        name: 'main',
        image: 'busybox',
        command: ['sh', '-c', script],
        volumeMounts: ['made', 'made-file', 'file'].map((name) => ({ name, mountPath: `/${name}` })),
      },
    ],
    volumes: [hostPath('made', 'DirectoryOrCreate'), hostPath('made-file', 'FileOrCreate'), hostPath('file', 'File')],
  });
  await using agent = startFakeAgent('root');
  await eventually('the pod runs', async () => agent.output().includes('pod is Running'), agent.output);
  const shadow = join(folder, 'root/host', folder, 'outside');
  await eventually(
    'the container has written',
    async () => (await readFile(join(shadow, 'made/log'), 'utf8').catch(() => '')) === 'x\n',
    agent.output,
  );
  expect(await readdir(join(folder, 'outside'))).toEqual(['file']);
  expect(await readFile(join(folder, 'outside/file'), 'utf8')).toBe('before\n');
  expect(await readdir(folder)).toEqual(['manifests', 'outside', 'root']);
});
