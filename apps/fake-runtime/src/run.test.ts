import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command; `stopWhen` is text on stdout after which it is stopped. */
async function runWith(args: string[], stopWhen?: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const stop = new AbortController();
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    stdout: (text) => {
      stdout += text;
      if (stopWhen !== undefined && stdout.includes(stopWhen)) stop.abort();
    },
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  return { code, stdout, stderr };
}

describe('fake-runtime', () => {
  it('prints its address, and nothing else, until it is stopped', async () => {
    const listen = `unix://${folder}/fake.sock`;
    expect(await runWith(['--listen', listen], 'listening')).toEqual({
      code: 0,
      stdout: `fake runtime listening on ${listen}\n`,
      stderr: '',
    });
    const verbose = await runWith(['--listen', listen, '--v', '1'], 'listening');
    expect(verbose.stderr).toBe(`info CRI server is listening address="${listen}"\n`);
  });

  it('exits with 2 and one line for a wrong command line', async () => {
    expect(await runWith(['--bogus'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "fake-runtime: unknown option '--bogus' (see fake-runtime --help)\n",
    });
  });

  it('listens on a path without a scheme', async () => {
    const { stdout } = await runWith(['--listen', `${folder}/fake.sock`], 'listening');
    expect(stdout).toBe(`fake runtime listening on unix://${folder}/fake.sock\n`);
  });

  it.each([
    ['--state-file', 'missing/state.json', 'cannot use the state file'],
    ['--state-file', '', 'cannot use the state file'],
    ['--sandbox-root', 'missing', 'cannot use the sandbox root'],
    ['--images', 'missing.yaml', 'missing.yaml: ENOENT'],
  ])('exits with 2 and one line for %s %s', async (flag, path, message) => {
    const args = ['--listen', `unix://${folder}/fake.sock`, flag, join(folder, path)];
    const { code, stdout, stderr } = await runWith(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('exits with 1 and one line when it cannot listen', async () => {
    const { code, stderr } = await runWith(['--listen', `unix://${folder}/missing/fake.sock`]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `fake-runtime: cannot open the socket ${folder}/missing/fake.sock: the folder ${folder}/missing does not exist (--listen)\n`,
    );
    const unsupported = await runWith(['--listen', 'tcp://127.0.0.1:1']);
    expect(unsupported.code).toBe(2);
    expect(unsupported.stderr).toMatch(/^fake-runtime: address "tcp:.* is not supported.*\n$/);
  });
});
