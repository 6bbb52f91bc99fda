import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { cacheBench, configMapCopy, DIRECTORY } from './test-support.ts';

const objects = `${DIRECTORY}/objects`;
const key = `${DIRECTORY}/key`;
const secret = configMapCopy('settings', 'a secret text');

async function savedBench() {
  const bench = cacheBench();
  await bench.cache.load();
  await bench.cache.save([secret]);
  return bench;
}

describe('cache files', () => {
  it('keep objects encrypted, for the agent alone, with a key that is made once', async () => {
    const { memory } = await savedBench();
    expect(memory.info(DIRECTORY)).toMatchObject({ mode: 0o700 });
    expect(memory.info(key)).toMatchObject({ mode: 0o600 });
    expect(memory.info(objects)).toMatchObject({ mode: 0o600 });
    expect(memory.text(objects)).not.toContain('secret text');
    const keyText = memory.text(key);
    const next = cacheBench(memory);
    expect(await next.cache.load()).toEqual([secret]);
    expect(memory.text(key)).toBe(keyText);
    expect(next.logger.lines).toEqual([]);
  });

  it('use another nonce for each write', async () => {
    const { memory, cache } = await savedBench();
    const first = memory.text(objects);
    await cache.save([secret]);
    expect(memory.text(objects)).not.toBe(first);
  });

  it('close their directory to other users', async () => {
    const memory = createMemoryFiles();
    await memory.nodeFiles.makeDirectory(DIRECTORY, 0o755);
    await cacheBench(memory).cache.load();
    expect(memory.info(DIRECTORY)).toMatchObject({ mode: 0o700 });
  });

  it.each<[string, string, (bytes: Uint8Array) => Uint8Array | string, string]>([
    ['truncated', objects, (bytes) => bytes.subarray(0, -1), 'damaged'],
    ['cut before its content', objects, (bytes) => bytes.subarray(0, 30), 'incomplete'],
    ['empty', objects, () => '', 'no offline cache of this version'],
    ['something else', objects, () => '{"kind":"List"}', 'no offline cache of this version'],
    ['changed', objects, (bytes) => bytes.with(bytes.length - 3, bytes.at(-3)! ^ 1), 'damaged'],
    ['too large', objects, () => 'x'.repeat(200_000), 'too large'],
    ['without its key', key, () => '', 'key /root/offline-cache/key is damaged'],
    ['of another key', key, () => '00'.repeat(32), 'with another key'],
  ])('set a cache aside that is %s, with one message, and go on', async (_, path, damage, message) => {
    const { memory } = await savedBench();
    const bytes = (await memory.nodeFiles.readFile(path, 1e6))!;
    memory.put(path, damage(bytes), 0o600);
    const next = cacheBench(memory);
    expect(await next.cache.load()).toEqual([]);
    expect(next.logger.lines).toMatchObject([
      { level: 'error', message: 'cannot use the offline cache, it is set aside', fields: { path: objects } },
    ]);
    expect(String(next.logger.lines[0]!.fields['error'])).toContain(message);
    expect(memory.paths()).toContain(`${objects}.corrupt`);
    await next.cache.save([secret]);
    expect(await cacheBench(memory).cache.load()).toEqual([secret]);
  });

  it('reject the cache of another node, and a key that others can write', async () => {
    const { memory } = await savedBench();
    const foreign = cacheBench(memory, { nodeName: 'node2' });
    expect(await foreign.cache.load()).toEqual([]);
    expect(String(foreign.logger.lines[0]!.fields['error'])).toContain('another node');
    const open = await savedBench();
    await open.memory.nodeFiles.chmod(key, 0o666);
    const next = cacheBench(open.memory);
    expect(await next.cache.load()).toEqual([]);
    expect(String(next.logger.lines[0]!.fields['error'])).toContain('is writable by other users');
    expect(open.memory.info(key)).toMatchObject({ mode: 0o600 });
  });

  it('keep the old or the new objects, wherever the agent is killed during a write', async () => {
    let isDone = false;
    for (let calls = 1; !isDone; calls += 1) {
      const { memory, cache } = await savedBench();
      const next = configMapCopy('next');
      let left = calls;
      memory.fault = () => {
        left -= 1;
        if (left <= 0) throw new Error('killed');
      };
      isDone = await cache.save([next]).then(
        () => true,
        () => false,
      );
      memory.fault = undefined;
      const after = cacheBench(memory);
      expect([[secret], [next]]).toContainEqual(await after.cache.load());
      expect(after.logger.lines).toEqual([]);
    }
  });

  it('make a key that is usable, wherever the agent is killed at its first start', async () => {
    let isDone = false;
    for (let calls = 1; !isDone; calls += 1) {
      const { memory, cache } = cacheBench();
      let left = calls;
      memory.fault = () => {
        left -= 1;
        if (left <= 0) throw new Error('killed');
      };
      isDone = await cache.load().then(
        () => true,
        () => false,
      );
      memory.fault = undefined;
      const after = cacheBench(memory);
      expect(await after.cache.load()).toEqual([]);
      await after.cache.save([secret]);
      expect(await cacheBench(memory).cache.load()).toEqual([secret]);
      expect(after.logger.lines).toEqual([]);
    }
  });

  it('leave out the largest objects when there is no room', async () => {
    const { memory } = cacheBench();
    const { cache } = cacheBench(memory, { maxBytes: 1_000 });
    await cache.load();
    const large = configMapCopy('large', 'x'.repeat(900));
    expect(await cache.save([large, secret])).toBe(1);
    expect(await cacheBench(memory, { maxBytes: 1_000 }).cache.load()).toEqual([secret]);
  });
});
