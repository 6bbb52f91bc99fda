import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const APPS = join(import.meta.dirname, '../..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-inspector-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Programs that run for long, with their arguments and the output that shows that they run. */
const programs: readonly [launcher: string, args: (folder: string) => string[], running: string][] = [
  ['agent/bin/rxlet', (root) => ['--fake-runtime', '--root-dir', join(root, 'root')], 'rxlet is running'],
  ['fake-runtime/bin/fake-runtime', (root) => ['--listen', join(root, 'fake.sock')], 'listening on'],
  ['fake-kube/bin/fake-kube', () => ['--listen', '127.0.0.1:0'], 'listening on'],
  [
    'docker-shim/bin/docker-shim',
    (root) => [
      ...['--container-runtime-endpoint', `unix://${root}/shim.sock`, '--docker-endpoint', `unix://${root}/none.sock`],
      ...['--cri-dockerd-root-directory', join(root, 'shim'), '--cni-conf-dir', root],
    ],
    'listening on',
  ],
];

describe.each(programs)('%s', (launcher, args, running) => {
  const main = join(APPS, launcher, '../../src/main.ts');
  it.each([
    ['its launcher', [join(APPS, launcher)]],
    ['Node.js itself', [process.execPath, '--conditions=@rxlet/source', main]],
  ])('opens no inspector on SIGUSR1 and runs on, started by %s', async (_, [program = '', ...first]) => {
    const child = spawn(program, [...first, ...args(folder)], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    try {
      await eventually(
        'the start',
        async () => output.includes(running),
        () => output,
      );
      for (let times = 0; times < 3; times += 1) child.kill('SIGUSR1');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, output).toBe(0);
    expect(output).not.toContain('Debugger');
  });

  it('leaves the rejection of a Node.js without the flag to the check of its version', async () => {
    const bin = join(folder, 'app/bin');
    const node = join(folder, 'node_modules/node/bin/node');
    for (const path of [bin, join(node, '..'), join(folder, 'app/src')]) await mkdir(path, { recursive: true });
    const name = launcher.split('/').at(-1)!;
    await copyFile(join(APPS, launcher), join(bin, name));
    await writeFile(join(folder, 'app/src/main.ts'), '');
    // Answers an unknown flag as Node.js does.
    const stub = `#!/bin/sh\ncase "$*" in *--disable-sigusr1*) exit 9 ;; esac\necho "$@"\n`;
    await writeFile(node, stub);
    await chmod(node, 0o755);
    const path = `${join(node, '..')}:${process.env['PATH'] ?? ''}`;
    const child = spawn(join(bin, name), [], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: path } });
    expect(await text(child.stdout)).toContain('require-node.cjs');
  });
});
