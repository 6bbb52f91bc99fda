import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeLauncher } from './write-launcher.ts';

/** Greets its first argument; the second one is what else it does. */
const APP = `
const { greet } = require('./greeting.cjs');
if (process.argv[2] !== 'silent') process.stdout.write(greet(process.argv[2]));
if (process.argv[3] === 'fail') throw new Error('failed on purpose');
`;
const GREETING = `
const { join } = require('path');
exports.greet = (name) => 'Hello ' + join(name) + '.';
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'launcher-'));
  await writeFile(join(folder, 'app.cjs'), APP);
  await writeFile(join(folder, 'greeting.cjs'), GREETING);
  await writeLauncher(folder, 'app.cjs');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'main.cjs'), ...args], {
    encoding: 'utf8',
    env,
  });
  return { stdout, stderr, status };
}

const recorded = (): Promise<string[]> => readdir(join(folder, '.code-cache')).catch(() => []);
const codeOf = (chunk: string): Promise<Buffer> => readFile(join(folder, '.code-cache', chunk));

describe('the launcher of a bundle', () => {
  it('runs the bundle, and records its code when the process ends', async () => {
    expect(run('Ann')).toEqual({ stdout: 'Hello Ann.', stderr: '', status: 0 });
    expect(await recorded()).toEqual(['app.cjs', 'greeting.cjs']);
  });

  it('records the functions that have run', async () => {
    run('silent');
    const without = await codeOf('greeting.cjs');
    await rm(join(folder, '.code-cache'), { recursive: true });
    run('Ann');
    expect((await codeOf('greeting.cjs')).length).toBeGreaterThan(without.length);
  });

  it('runs recorded code, and leaves the record as it is', async () => {
    run('Ann');
    const before = await codeOf('greeting.cjs');
    expect(run('Bob')).toEqual({ stdout: 'Hello Bob.', stderr: '', status: 0 });
    expect(await codeOf('greeting.cjs')).toEqual(before);
  });

  it('replaces damaged and missing records', async () => {
    run('Ann');
    await writeFile(join(folder, '.code-cache/greeting.cjs'), 'damaged');
    await rm(join(folder, '.code-cache/app.cjs'));
    expect(run('Ann').stdout).toBe('Hello Ann.');
    expect(await recorded()).toEqual(['app.cjs', 'greeting.cjs']);
    expect((await codeOf('greeting.cjs')).length).toBeGreaterThan('damaged'.length);
  });

  it('replaces records that were made under other flags of V8', async () => {
    const flags = ['--no-flush-bytecode', join(folder, 'main.cjs'), 'Ann'];
    spawnSync(process.execPath, flags);
    const other = await codeOf('app.cjs');
    expect(run('Ann').stdout).toBe('Hello Ann.');
    expect(await codeOf('app.cjs')).not.toEqual(other);
  });

  it('passes failures on', () => {
    const { stderr, status } = run('Ann', 'fail');
    expect(stderr).toContain('Error: failed on purpose');
    expect(status).toBe(1);
  });

  it('works where it cannot write', async () => {
    await writeFile(join(folder, '.code-cache'), 'a file in the place of the folder');
    expect(run('Ann')).toEqual({ stdout: 'Hello Ann.', stderr: '', status: 0 });
  });
});
