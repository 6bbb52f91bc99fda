import { chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStartedAgent, startAgent } from './started-agent.ts';

const [, program] = process.argv;
let folder: string;
let root: string;
/** File in which the started program writes its process id. */
let pidFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-started-'));
  root = join(folder, 'root');
  pidFile = join(folder, 'pid');
  const script = join(folder, 'silent.cjs');
  await writeFile(
    script,
    `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`,
  );
  process.argv[1] = script;
});
afterEach(async () => {
  process.argv[1] = program!;
  const left = await runningPid();
  if (left !== undefined) process.kill(left, 'SIGKILL');
  await rm(folder, { recursive: true });
});

/** Returns the process of the started program, if it runs. */
async function runningPid(): Promise<number | undefined> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (pid === 0) return undefined;
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'latin1').catch(() => '');
  return /\) [^Z]/.test(stat) ? pid : undefined;
}

describe('startAgent', () => {
  it('ends the agent again when it is interrupted before the agent answers', async () => {
    const interruption = new AbortController();
    const starting = startAgent(root, [], { clock: systemClock, signal: interruption.signal });
    await eventually('the program runs', async () => (await runningPid()) !== undefined);
    interruption.abort(new Error('interrupted'));
    await expect(starting).rejects.toThrow('interrupted');
    await eventually('the program has ended', async () => (await runningPid()) === undefined);
  });

  it.runIf(process.getuid?.() === 0)('writes nothing into a directory of another user', async () => {
    const other = join(folder, 'of-root');
    await writeFile(other, 'kept');
    await mkdir(root);
    await symlink(other, join(root, 'play.log'));
    await chown(root, 12_345, 12_345);
    const { signal } = new AbortController();
    await expect(startAgent(root, [], { clock: systemClock, signal })).rejects.toThrow(
      `cannot use the root directory "${root}": it belongs to another user (uid 12345)`,
    );
    expect(await readFile(other, 'utf8')).toBe('kept');
    expect(await runningPid()).toBeUndefined();
  });
});

it('takes an agent whose record a full disk left empty for one of the user', async () => {
  await mkdir(root);
  await writeFile(join(root, 'play.json'), '');
  expect(await isStartedAgent(root)).toBe(false);
});
