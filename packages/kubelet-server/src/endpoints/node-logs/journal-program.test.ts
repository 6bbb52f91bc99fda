import { access, chmod, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createJournalProgram, type JournalProcess, type JournalProgram } from './journal-program.ts';

interface Bench {
  readonly folder: string;
  readonly program: JournalProgram;
}

/** Puts a script in place of journalctl. */
async function journalctl(script: string): Promise<Bench> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'journalctl-'));
  onTestFinished(() => folder.remove());
  const path = join(folder.path, 'journalctl');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { folder: folder.path, program: createJournalProgram(`${folder.path}:/usr/bin:/bin`) };
}

async function outputOf(running: JournalProcess): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of running.output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Waits until a file has content. */
async function contentOf(path: string): Promise<string> {
  for (let tries = 0; tries < 500; tries += 1) {
    const content = await readFile(path, 'utf8').catch(() => '');
    if (content.endsWith('\n')) return content.trim();
    await sleep(systemClock, 10);
  }
  throw new Error(`${path} stays empty`);
}

async function hasEnded(pid: string): Promise<boolean> {
  for (let tries = 0; tries < 500; tries += 1) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // A process that its parent has not waited for yet has ended too.
    if (state === undefined || / Z /.test(state)) return true;
    await sleep(systemClock, 10);
  }
  return false;
}

describe('createJournalProgram', () => {
  it('passes on arguments as they are, without a shell', async () => {
    const { folder, program } = await journalctl(`printf '[%s]' "$@"`);
    await using running = await program.start(['--grep=$(touch injected) `id` "x" \n;', '--unit=*', '']);
    expect(await outputOf(running)).toBe('[--grep=$(touch injected) `id` "x" \n;][--unit=*][]');
    expect(await running.succeeded).toBe(true);
    await expect(access(join(folder, 'injected'))).rejects.toThrow('ENOENT');
  });

  it('yields the error output too, and reports failure', async () => {
    const { program } = await journalctl('echo one; echo two >&2; exit 3');
    await using running = await program.start([]);
    expect((await outputOf(running)).split('\n').sort()).toEqual(['', 'one', 'two']);
    expect(await running.succeeded).toBe(false);
  });

  it('runs it with times in UTC, and without the environment of the agent', async () => {
    const { program } = await journalctl('/usr/bin/env');
    await using running = await program.start([]);
    const names = (await outputOf(running)).split('\n').map((line) => line.split('=')[0]!);
    expect(names).toContain('TZ');
    expect(names.filter((name) => !['', 'PATH', 'LC_ALL', 'TZ', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual(
      [],
    );
  });

  it('rejects when there is no program, or an argument that no program can have', async () => {
    await expect(createJournalProgram('/nonexistent').start([])).rejects.toThrow('ENOENT');
    const { program } = await journalctl('true');
    await expect(program.start(['--grep=\0'])).rejects.toThrow('null bytes');
  });

  it('keeps what a killed program has written', async () => {
    const { folder, program } = await journalctl('echo begin; echo $$ > "$(dirname "$0")/pid"; exec sleep 1000');
    await using running = await program.start([]);
    const pid = await contentOf(join(folder, 'pid'));
    running.kill();
    expect(await outputOf(running)).toBe('begin\n');
    expect(await running.succeeded).toBe(false);
    expect(await hasEnded(pid)).toBe(true);
  });

  it('ends the program and its children when it is disposed of', async () => {
    const { folder, program } = await journalctl('sleep 1000 & echo $! > "$(dirname "$0")/pid"; wait');
    const running = await program.start([]);
    const child = await contentOf(join(folder, 'pid'));
    const output = outputOf(running);
    await running[Symbol.asyncDispose]();
    expect(await output).toBe('');
    expect(await hasEnded(child)).toBe(true);
  });

  it('holds the program back while its output is not read', async () => {
    const { folder, program } = await journalctl(
      'i=0; while :; do printf %01000d 0; i=$((i+1)); echo $i >> "$(dirname "$0")/kilobytes"; done',
    );
    const running = await program.start([]);
    const iterator = running.output[Symbol.asyncIterator]();
    await iterator.next();
    await contentOf(join(folder, 'kilobytes'));
    const count = async (): Promise<number> => (await readFile(join(folder, 'kilobytes'), 'utf8')).split('\n').length;
    let before = -1;
    for (let now = await count(); now !== before; now = await count()) {
      before = now;
      await sleep(systemClock, 200);
    }
    expect(before).toBeLessThan(1000);
    await iterator.return?.();
    await running[Symbol.asyncDispose]();
    await running[Symbol.asyncDispose]();
  });

  it('ends on its own without a reader', async () => {
    const { program } = await journalctl('exit 0');
    const running = await program.start([]);
    expect(await running.succeeded).toBe(true);
    await running[Symbol.asyncDispose]();
  });
});
