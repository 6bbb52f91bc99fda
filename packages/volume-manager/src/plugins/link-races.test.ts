import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { systemClock } from '@rxlet/component-base';
import { expect, it } from 'vitest';
import { createDiskBench, isRoot } from '../test-support.ts';
import { giveToGroup } from './empty-directory.ts';

/** Time for which links are raced; a minute in a thorough run. */
const RACE_MS = Number(process.env['RXLET_TEST_RACE_MS'] ?? 700);
const GRACE_MS = 20_000;

/**
 * A container that swaps a directory of its volume with a link to what is outside, and a program of its own that has the set-user-id bit with a file of root, as
 * fast as it can.
 */
const attack = (volume: string): string => `
  const { chmodSync, chownSync, mkdirSync, renameSync: r, symlinkSync, writeFileSync } = require('fs');
  const attempt = (work) => { try { work(); } catch {} };
  process.chdir(${JSON.stringify(volume)});
  console.log('runs');
  for (;;) {
    attempt(() => { r('dir', 'kept'); r('link', 'dir'); r('dir', 'link'); r('kept', 'dir'); });
    attempt(() => { r('program', 'other'); r('of-root', 'program'); r('program', 'of-root'); r('other', 'program'); });
    attempt(() => mkdirSync('dir/below', { recursive: true }));
  }`;

it.runIf(isRoot)(
  'changes of the group and removals never leave a volume in which links are swapped, and give nothing to another file',
  { timeout: 2 * RACE_MS + 2 * GRACE_MS },
  async () => {
    await using bench = await createDiskBench();
    const { context, root, directory } = bench;
    const volume = `${root}/pods/u/volumes/kubernetes.io~empty-dir/data`;
    const outside = `${directory}/outside`;
    await mkdir(`${volume}/dir/below`, { recursive: true });
    await mkdir(outside);
    await writeFile(`${outside}/file`, 'outside', { mode: 0o600 });
    const before = await stat(`${outside}/file`);
    await symlink(outside, `${volume}/link`);
    await writeFile(`${volume}/of-root`, 'root', { mode: 0o600 });
    await writeFile(`${volume}/program`, 'mine');
    await chown(`${volume}/program`, 1000, 1000);
    await chmod(`${volume}/program`, 0o4777);
    const attacker = spawn(process.execPath, ['-e', attack(volume)], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(attacker.stdout, 'data');
      const end = systemClock.monotonicNow() + RACE_MS;
      let isRaced = false;
      // On a busy machine, it takes longer until both programs run at the same moment.
      const isOver = (): boolean => systemClock.monotonicNow() > end + (isRaced ? 0 : GRACE_MS);
      while (!isOver()) {
        isRaced ||= (await readFile(`${volume}/dir/file`, 'utf8').catch(() => '')) === 'outside';
        await giveToGroup(context, volume, { fsGroup: 2000, readOnly: false }).catch(() => undefined);
        for (const name of ['of-root', 'program']) {
          const { uid, mode } = await stat(`${volume}/${name}`).catch(() => ({ uid: -1, mode: 0 }));
          if (uid === 0) expect(mode & 0o7777 & ~0o660).toBe(0);
        }
        await context.files.removeTree(`${volume}/dir/below`).catch(() => undefined);
      }
      expect([attacker.exitCode, isRaced]).toEqual([null, true]);
      await context.files.removeTree(volume).catch(() => undefined);
    } finally {
      if (attacker.exitCode === null && attacker.kill('SIGKILL')) await once(attacker, 'exit');
    }
    expect(await readdir(outside)).toEqual(['file']);
    const after = await stat(`${outside}/file`);
    expect([after.uid, after.gid, after.mode]).toEqual([before.uid, before.gid, before.mode]);
    expect((await stat(outside)).gid).toBe(before.gid);
  },
);
