import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Calls the methods of node files on a mount point whose file system never answers: one of FUSE without a server. Closing its device ends the waits. In a process of
 * its own, which can be killed should a call block it.
 */
const script = String.raw`
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createNodeFiles } from ${JSON.stringify(join(import.meta.dirname, 'disk-node-files.ts'))};

const [root] = process.argv.slice(1);
const files = createNodeFiles({ roots: [root] });
const target = root + '/volumes/dead';
await files.makeDirectory(target, 0o750);
const device = openSync('/dev/fuse', 'r+');
const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
const stdio = ['ignore', 'inherit', 'inherit', device];
if (spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'none', target], { stdio }).status !== 0) process.exit(77);
let settled = 0;
const calls = {
  list: () => files.list(target),
  stat: () => files.stat(target),
  exists: () => files.exists(target),
  makeDirectory: () => files.makeDirectory(target, 0o750),
  closeToOthers: () => files.closeToOthers(target),
  openDirectory: () => files.openDirectory(target),
  chmod: () => files.chmod(target, 0o700),
};
const ended = Object.values(calls).map((call) => call().catch(() => undefined).finally(() => (settled += 1)));
await new Promise((resolve) => setTimeout(resolve, 100));
console.log('the event loop turns,', String(settled), 'calls have ended');
closeSync(device);
await Promise.all(ended);
console.log('all calls have ended');
`;

it.runIf(process.getuid?.() === 0 && existsSync('/dev/fuse'))(
  'calls for a mount point whose file system never answers do not block the process',
  async ({ skip }) => {
    const root = await mkdtemp(join(tmpdir(), 'dead-mount-'));
    try {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, root], {
        encoding: 'utf8',
        timeout: 10_000,
        killSignal: 'SIGKILL',
      });
      if (status === 77) skip(`cannot mount: ${stderr}`);
      expect([stdout, status]).toEqual(['the event loop turns, 0 calls have ended\nall calls have ended\n', 0]);
    } finally {
      spawnSync('umount', ['--lazy', join(root, 'volumes/dead')]);
      await rm(root, { recursive: true, force: true });
    }
  },
);
