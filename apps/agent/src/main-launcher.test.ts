import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BIN = join(import.meta.dirname, '../bin');
/** Stands in for Node.js: knows all flags, prints how it was called, then runs its last argument as a script. */
const STUB = `#!/bin/sh
[ "$2" = --version ] && exit
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
  for (const file of ['rxlet', 'require-node.cjs']) await copyFile(join(BIN, file), join(rxlet, 'bin', file));
  await writeFile(join(rxlet, main), '');
  await mkdir(join(top, 'node_modules/node/bin'), { recursive: true });
  await writeFile(join(top, 'node_modules/node/bin/node'), STUB);
  await chmod(join(top, 'node_modules/node/bin/node'), 0o755);
  await symlink(join('../..', packageFolder, 'bin/rxlet'), join(bin, 'rxlet'));
  await symlink(join(bin, 'rxlet'), join(top, 'a link'));
  return join(top, 'a link');
}

function run(launcher: string, ...args: string[]) {
  // From another directory, and without the compile cache of the caller.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(launcher, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, ended, output: text(child.stdout) };
}

describe('the launcher', () => {
  const flags = ['--disable-sigusr1', '--max-semi-space-size=2'];
  const argumentsIn = (output: string): string[] =>
    [...output.matchAll(/^argument=(.*)$/gm)].map(([, argument = '']) => argument);

  it('runs what was built when it is installed, with flags that close the inspector and keep its memory small', async () => {
    const launcher = await install('installed', 'node_modules/rxlet', 'dist/main.cjs');
    const { output } = run(launcher, 'two words', '', '*', 'true');
    const rxlet = join(folder, 'installed/node_modules/rxlet');
    const main = join(rxlet, 'dist/main.cjs');
    const preloads = preloadsOf(rxlet);
    expect(argumentsIn(await output)).toEqual([...flags, ...preloads, main, 'two words', '', '*', 'true']);
  });

  it('runs the sources in a checkout, with the types that were stripped before', async () => {
    const launcher = await install('checkout', 'apps/agent', 'src/main.ts');
    const { output } = run(launcher, 'true');
    const main = join(folder, 'checkout/apps/agent/src/main.ts');
    const preloads = preloadsOf(join(folder, 'checkout/apps/agent'));
    const forSources = ['--wasm-wrapper-tiering-budget=1000000000', ...preloads, '--conditions=@rxlet/source'];
    expect(argumentsIn(await output)).toEqual([...flags, ...forSources, main, 'true']);
    expect(await output).toMatch(/^cache=.*\/node_modules\/\.cache\/rxlet$/m);
  });

  it('leaves no process between: pid, exit code and signals are those of Node.js', async () => {
    const launcher = await install('process', 'node_modules/rxlet', 'dist/main.cjs');
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
    const child = spawn(process.execPath, [...flags, '--eval', 'process.exit(3)'], { stdio: 'inherit' });
    expect(await once(child, 'close')).toEqual([3, null]);
  });
});

function preloadsOf(rxlet: string): string[] {
  return ['--require', join(rxlet, 'bin/require-node.cjs')];
}

describe('on an unsupported Node.js', () => {
  const check = join(BIN, 'require-node.cjs');

  it.each(['0.10.48', '14.21.3', '20.20.2', '23.11.0'])(
    'ends %s with one line before the program is read',
    async (version) => {
      // The check runs as that version would run it, and the program has syntax that no version parses.
      const script = `
      Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} });
      require(${JSON.stringify(check)});
      eval('await using');`;
      const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'inherit', 'pipe'] });
      const stderr = text(child.stderr);
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(await stderr).toBe(
        `rxlet: cannot start on Node.js ${version} (${process.execPath}): Node.js 24 or later is required; ` +
          'put it first in PATH, or install the npm package "node@24" next to rxlet\n',
      );
    },
  );

  it('is written in syntax that every version of Node.js parses, and requires what package.json requires', async () => {
    const source = await readFile(check, 'utf8');
    expect(source).not.toMatch(/=>|`|\b(?:const|let|class|async|await|import)\b/);
    const { engines } = JSON.parse(await readFile(join(BIN, '../package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(`>=${/REQUIRED_MAJOR = (\d+);/.exec(source)?.[1] ?? ''}`).toBe(engines.node);
  });

  it('reports it when there is no Node.js at all', async () => {
    const launcher = await install('none', 'node_modules/rxlet', 'dist/main.cjs');
    await rm(join(folder, 'none/node_modules/node'), { recursive: true });
    const tools = join(folder, 'none/tools');
    await mkdir(tools);
    for (const tool of ['sh', 'dirname', 'readlink']) await symlink(`/bin/${tool}`, join(tools, tool));
    const child = spawn(launcher, [], { env: { PATH: tools }, stdio: ['ignore', 'inherit', 'pipe'] });
    const stderr = text(child.stderr);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(await stderr).toBe('rxlet: cannot start: Node.js 24 or later is required, and PATH has no "node"\n');
  });
});
