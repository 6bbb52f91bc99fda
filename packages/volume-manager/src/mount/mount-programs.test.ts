import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { systemClock } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createDiskBench, isRoot } from '../test-support.ts';
import { runProgram } from './run-program.ts';

describe.runIf(isRoot)('the mount programs', () => {
  it('mount and unmount a tmpfs, which the table shows', async () => {
    await using bench = await createDiskBench();
    const { mounter, mounts } = bench.context;
    const target = `${bench.root}/a path, with "odd" names\n`;
    await mkdir(target);
    await mounter.mount({ source: 'tmpfs', target, fsType: 'tmpfs', options: ['size=65536'] });
    const point = await mounts.at(target);
    expect(point).toMatchObject({ target, fsType: 'tmpfs', source: 'tmpfs', root: '/' });
    expect(point?.options).toContain('size=64k');
    await mounter.unmount(target);
    expect(await mounts.at(target)).toBeUndefined();
  });

  it('mount several at a time, of which some fail', async () => {
    await using bench = await createDiskBench();
    const { mounter, mounts } = bench.context;
    const mount = async (name: string, size: string): Promise<void> => {
      const target = `${bench.root}/${name}`;
      await mkdir(target);
      await mounter.mount({ source: 'tmpfs', target, fsType: 'tmpfs', options: [`size=${size}`] });
    };
    const sizes = { 'a b': '65536', wrong: 'none', c: '65536', d: '65536' };
    const results = await Promise.allSettled(Object.entries(sizes).map(([name, size]) => mount(name, size)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(String((results[1] as PromiseRejectedResult).reason)).toMatch(
      /mount failed: exit status 32\n.*\nMounting arguments: -t tmpfs -o size=none -- tmpfs .*\/wrong\nOutput: mount: .*wrong/,
    );
    for (const name of ['a b', 'c', 'd']) {
      expect((await mounts.at(`${bench.root}/${name}`))?.fsType).toBe('tmpfs');
      await mounter.unmount(`${bench.root}/${name}`);
      expect(await mounts.at(`${bench.root}/${name}`)).toBeUndefined();
    }
  });

  it('bind an open entry, even if its path leads elsewhere by then', async () => {
    await using bench = await createDiskBench();
    const { context, root } = bench;
    await mkdir(`${root}/volume/real`, { recursive: true });
    await writeFile(`${root}/volume/real/file`, 'right');
    await mkdir(`${root}/target`);
    await using volume = await context.files.openDirectory(`${root}/volume`);
    await using entry = await volume!.openEntry('real');
    await context.files.rename(`${root}/volume/real`, `${root}/volume/moved`);
    await mkdir(`${root}/volume/real`);
    await context.mounter.mount({ source: entry!, target: `${root}/target`, options: ['bind'] });
    expect(await readFile(`${root}/target/file`, 'utf8')).toBe('right');
  });

  it('report a failure with the output of the program', async () => {
    await using bench = await createDiskBench();
    const { mounter } = bench.context;
    await expect(
      mounter.mount({ source: 'tmpfs', target: `${bench.root}/missing`, fsType: 'tmpfs', options: [] }),
    ).rejects.toThrow(
      /^mount failed: exit status 32\nMounting command: mount\nMounting arguments: .*\nOutput: mount: /s,
    );
    await expect(mounter.unmount(bench.root)).rejects.toThrow(/^unmount failed: exit status 32\n/);
  });

  it('do not wait for a call whose signal was aborted before it began', async () => {
    await using bench = await createDiskBench();
    const { mounter, mounts } = bench.context;
    const target = `${bench.root}/target`;
    await mkdir(target);
    await mounter.mount({ source: 'tmpfs', target, fsType: 'tmpfs', options: [] });
    await expect(mounter.unmount(target, {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    await mounter.unmount(target);
    expect(await mounts.at(target)).toBeUndefined();
  });

  it('take no path for an option', async () => {
    await using bench = await createDiskBench();
    await mkdir(`${bench.root}/target`);
    const request = { source: '--help', target: `${bench.root}/target`, fsType: 'tmpfs', options: [] };
    await bench.context.mounter.mount(request);
    expect((await bench.context.mounts.at(request.target))?.source).toBe('--help');
    expect((await stat(request.target)).isDirectory()).toBe(true);
  });
});

describe('a program', () => {
  it('is killed at its deadline, and the call does not wait for its end', async () => {
    const { result, ended } = runProgram(systemClock, { program: 'sleep', arguments: ['60'], timeoutMs: 50 });
    await expect(result).rejects.toThrow('no answer within 50 ms');
    await ended;
  });

  it('ends although a helper keeps its output open', async () => {
    const script = 'echo begun; sleep 5 & exit 3';
    const { result } = runProgram(systemClock, { program: 'sh', arguments: ['-c', script], timeoutMs: 4_000 });
    expect(await result).toEqual({ failure: 'exit status 3', output: 'begun' });
  });

  it('fails when it does not exist', async () => {
    const { result } = runProgram(systemClock, { program: 'no-such-program', arguments: [], timeoutMs: 1_000 });
    await expect(result).rejects.toThrow('cannot run no-such-program');
  });

  it('gets nothing of the environment of the agent', async () => {
    const { result } = runProgram(systemClock, { program: 'env', arguments: [], timeoutMs: 5_000 });
    expect((await result).output.split('\n').map((line) => line.split('=')[0])).toEqual(['PATH', 'LC_ALL']);
  });
});
