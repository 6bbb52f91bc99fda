import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sleep, systemClock } from '@rxlet/component-base';
import { spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { createNodeProviderProcesses } from './node-provider-processes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'providers-'));
});
afterEach(() => rm(folder, { recursive: true }));

const never = new AbortController().signal;
const command = {
  name: 'p',
  args: ['a b', '$HOME'],
  env: [{ name: 'K', value: 'CANARY' }],
  stdin: '{"image":"r.io/a"}',
};

/** Writes a program, and returns the processes that run it. */
async function program(script: string, mode = 0o755) {
  await writeFile(join(folder, 'p'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'p'), mode);
  return createNodeProviderProcesses(folder);
}
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; !(await condition()); attempts += 1) {
    if (attempts > 500) throw new Error('the condition did not hold within 5 s');
    await sleep(systemClock, 10);
  }
}
/** Waits for the end of a process that may stay as a zombie where the first process of a container does not reap. */
const untilGone = (pid: number): Promise<void> =>
  until(async () => !isAlive(pid) || (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).includes(') Z '));

/** Returns how a run has ended, once it has. */
function watch(run: Promise<object>): { end?: string } {
  const watched: { end?: string } = {};
  run.then(
    (result) => (watched.end = JSON.stringify(result)),
    (error: Error) => (watched.end = error.message),
  );
  return watched;
}

describe('the programs of credential providers', () => {
  it('name themselves and the cause when they cannot be spawned', async () => {
    const processes = await program('true');
    using _failing = spawnWithoutDescriptors();
    await expect(processes.run(command, never)).rejects.toThrow(
      `the credential provider ${join(folder, 'p')} cannot be run: spawn ${join(folder, 'p')} EMFILE`,
    );
  });

  it('get arguments, environment and request, and are heard', async () => {
    const processes = await program(String.raw`printf '%s|%s|%s|%s|' "$1" "$2" "$K" "$PATH"; cat; echo oh >&2; exit 3`);
    const result = await processes.run(command, never);
    expect([result.exitCode, result.stdout, result.stderr]).toEqual([
      3,
      `a b|$HOME|CANARY|${process.env['PATH']!}|{"image":"r.io/a"}`,
      'oh\n',
    ]);
    expect(inspect(result, { showHidden: true }) + JSON.stringify(result)).not.toContain('CANARY');
  });

  it('may end without having read', async () => {
    const processes = await program('exec echo done');
    const result = await processes.run({ ...command, stdin: 'x'.repeat(1_000_000) }, never);
    expect([result.exitCode, result.stdout]).toEqual([0, 'done\n']);
  });

  it('end with all their child processes when the signal aborts', async () => {
    const pids = join(folder, 'pids');
    const processes = await program(`sleep 1000 & echo $! $$ > ${pids}.new; mv ${pids}.new ${pids}; wait`);
    const controller = new AbortController();
    const outcome = processes.run(command, controller.signal);
    outcome.catch(() => undefined);
    await until(() =>
      readFile(pids).then(
        () => true,
        () => false,
      ),
    );
    const [child, own] = (await readFile(pids, 'utf8')).split(' ').map(Number);
    expect(isAlive(child!) && isAlive(own!)).toBe(true);
    controller.abort(new Error('too late'));
    await expect(outcome).rejects.toThrow('too late');
    await until(() => !isAlive(own!));
    await untilGone(child!);
  });

  it('kill their left-over children without waiting for them', async () => {
    const processes = await program('sleep 1000 & echo $!');
    const { exitCode, stdout } = await processes.run(command, never);
    expect(exitCode).toBe(0);
    await untilGone(Number(stdout));
  });

  it('end with the signal although a process that has left their group holds their output', async () => {
    const left = (script: string): string =>
      `setsid sh -c 'touch ${folder}/left; ${script}' & until [ -e ${folder}/left ]; do sleep 0.01; done; rm ${folder}/left; echo done`;
    const processes = await program(left('exec sleep 3'));
    const controller = new AbortController();
    const outcome = watch(processes.run(command, controller.signal));
    await sleep(systemClock, 500);
    expect(outcome.end).toBeUndefined();
    controller.abort(new Error('too late'));
    await until(() => outcome.end !== undefined);
    expect(outcome.end).toBe('too late');
    const flooding = await program(left('while echo 0123456789; do :; done'));
    await expect(flooding.run(command, never)).rejects.toMatchObject({ reason: 'OutputTooLarge' });
  });

  it('end when they write too much, with a bounded part of their complaints in the message', async () => {
    const endless = await program('exec cat /dev/zero');
    await expect(endless.run(command, never)).rejects.toMatchObject({ reason: 'OutputTooLarge' });
    const complaining = await program('head -c 1000000 /dev/zero >&2; echo ok');
    const { stdout, stderr } = await complaining.run(command, never);
    expect([stdout, stderr.length]).toEqual(['ok\n', 8192]);
  });

  it('must be programs in the folder that only their owner may change', async () => {
    const processes = await program('true', 0o644);
    const refusal = { name: 'ProviderProcessError', reason: 'UnusableProgram' };
    await expect(processes.check('p')).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining(`${folder}/p cannot be run: EACCES`) as string,
    });
    await chmod(join(folder, 'p'), 0o757);
    await expect(processes.run(command, never)).rejects.toThrow('every user may write to it');
    await chmod(join(folder, 'p'), 0o755);
    await expect(processes.check('p')).resolves.toBeUndefined();
    await mkdir(join(folder, 'sub'));
    for (const name of ['none', 'sub', '..', '.', '', '../p', 'sub/../p', 'p\0']) {
      await expect(processes.check(name)).rejects.toMatchObject(refusal);
      await expect(processes.run({ ...command, name }, never)).rejects.toMatchObject(refusal);
    }
    expect(() => createNodeProviderProcesses('bin')).toThrow('must be an absolute path');
  });

  it('appear in the message when they are not executable', async () => {
    await writeFile(join(folder, 'p'), '#!/no/such/shell\n', { mode: 0o755 });
    await expect(createNodeProviderProcesses(folder).run(command, never)).rejects.toThrow(`${folder}/p cannot be run`);
  });
});
