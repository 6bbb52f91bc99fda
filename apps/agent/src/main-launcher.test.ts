import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RXLET = join(import.meta.dirname, '../bin/rxlet');
/** In the place of Node.js: tells how it was called, then does what its last argument says. */
const STUB = `#!/bin/sh
echo "pid=$$"
echo "cache=$NODE_COMPILE_CACHE"
for argument; do echo "argument=$argument"; last=$argument; done
eval "$last"
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-launcher-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A package with the launcher and `main`, beside it a Node.js that is the stub, and a link to a link to the launcher as npm makes it. */
async function install(name: string, packageFolder: string, main: string): Promise<string> {
  const top = join(folder, name);
  const rxlet = join(top, packageFolder);
  const bin = join(top, 'node_modules/.bin');
  await Promise.all([join(rxlet, 'bin'), join(rxlet, main, '..'), bin].map((path) => mkdir(path, { recursive: true })));
  await copyFile(RXLET, join(rxlet, 'bin/rxlet'));
  await writeFile(join(rxlet, main), '');
  await mkdir(join(top, 'node_modules/node/bin'), { recursive: true });
  await writeFile(join(top, 'node_modules/node/bin/node'), STUB);
  await chmod(join(top, 'node_modules/node/bin/node'), 0o755);
  await symlink(join('../..', packageFolder, 'bin/rxlet'), join(bin, 'rxlet'));
  await symlink(join(bin, 'rxlet'), join(top, 'a link'));
  return join(top, 'a link');
}

function run(launcher: string, ...args: string[]) {
  // From elsewhere, and without the cache of whoever runs this.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(launcher, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, ended, output: text(child.stdout) };
}

describe('the launcher', () => {
  const flag = '--max-semi-space-size=2';
  const argumentsIn = (output: string): string[] =>
    [...output.matchAll(/^argument=(.*)$/gm)].map(([, argument = '']) => argument);

  it('runs what was built when it is installed, with the flag that keeps its memory small', async () => {
    const launcher = await install('installed', 'node_modules/rxlet', 'dist/main.js');
    const { output } = run(launcher, 'two words', '', '*', 'true');
    const main = join(folder, 'installed/node_modules/rxlet/dist/main.js');
    expect(argumentsIn(await output)).toEqual([flag, main, 'two words', '', '*', 'true']);
  });

  it('runs the sources in a checkout, with the types that were stripped before', async () => {
    const launcher = await install('checkout', 'apps/agent', 'src/main.ts');
    const { output } = run(launcher, 'true');
    const main = join(folder, 'checkout/apps/agent/src/main.ts');
    expect(argumentsIn(await output)).toEqual([flag, '--conditions=@rxlet/source', main, 'true']);
    expect(await output).toMatch(/^cache=.*\/node_modules\/\.cache\/rxlet$/m);
  });

  it('leaves no process between: pid, exit code and signals are those of Node.js', async () => {
    const launcher = await install('process', 'node_modules/rxlet', 'dist/main.js');
    const failing = run(launcher, 'exit 7');
    expect(await failing.output).toContain(`pid=${String(failing.child.pid)}\n`);
    expect(await failing.ended).toEqual([7, null]);

    const handling = run(launcher, 'trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done');
    handling.child.stdout.on('data', (data: Buffer) => {
      if (data.toString().includes('ready\n')) handling.child.kill('SIGTERM');
    });
    expect(await handling.ended).toEqual([9, null]);

    expect(await run(launcher, 'kill -KILL $$').ended).toEqual([null, 'SIGKILL']);
  });

  it('passes flags that the Node.js of this project knows', async () => {
    const child = spawn(process.execPath, [flag, '--eval', 'process.exit(3)'], { stdio: 'inherit' });
    expect(await once(child, 'close')).toEqual([3, null]);
  });
});
