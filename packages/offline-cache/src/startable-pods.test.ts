import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { createStartablePods } from './startable-pods.ts';

const DIRECTORY = '/root/offline-cache/startable-pods';

function bench(...uids: readonly string[]) {
  const memory = createMemoryFiles();
  const startable = new Set(uids);
  const pods = createStartablePods(memory.nodeFiles, { directory: DIRECTORY, startable: () => startable });
  const names = () => memory.nodeFiles.list(DIRECTORY);
  const failOn = (operation: string): void => {
    memory.fault = (name) => {
      if (name === operation) throw new Error('no space left on device');
    };
  };
  return { memory, startable, pods, names, failOn };
}

describe('the record of startable pods', () => {
  it('keeps them for the next agent', async () => {
    const { memory, startable, pods } = bench('a', 'b');
    await pods.update();
    startable.delete('a');
    await pods.withdraw();
    const next = createStartablePods(memory.nodeFiles, { directory: DIRECTORY, startable: () => startable });
    expect(await next.load()).toEqual(new Set(['b']));
  });

  it('adds a pod once the disk has room again', async () => {
    const { memory, pods, names, failOn } = bench('a');
    failOn('writeFile');
    await expect(pods.update()).rejects.toThrow('no space');
    memory.fault = undefined;
    await pods.update();
    expect(await names()).toEqual(['a']);
  });

  it('repeats a withdrawal after a failure, until it is on disk', async () => {
    const { memory, startable, pods, names, failOn } = bench('a');
    await pods.update();
    startable.clear();
    for (const operation of ['removeFile', 'openDirectory']) {
      failOn(operation);
      await expect(pods.withdraw()).rejects.toThrow('no space');
      await expect(pods.withdraw()).rejects.toThrow('no space');
    }
    memory.fault = undefined;
    await pods.withdraw();
    expect(await names()).toEqual([]);
  });

  it('touches no file outside of its directory', async () => {
    const { memory, startable, pods } = bench('../key');
    await memory.nodeFiles.makeDirectory('/root/offline-cache', 0o700);
    await memory.nodeFiles.createFile('/root/offline-cache/key', 0o600);
    await expect(pods.update()).rejects.toThrow(TypeError);
    startable.clear();
    await pods.withdraw();
    expect(memory.paths()).toContain('/root/offline-cache/key');
  });
});
