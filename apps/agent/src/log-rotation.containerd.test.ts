import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestNode, shell } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

describeOnEachRuntime('container logs', {}, (startNode) => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(() => node?.[Symbol.asyncDispose]());

  /** The numbers of the lines of a text; what has no end of line is still being written. */
  const numbers = (text: string): number[] => [...text.matchAll(/line (\d+)\n/g)].map(([, number]) => Number(number));
  const expectNoGap = (found: readonly number[]): void => {
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(found.map((_, index) => found[0]! + index));
  };

  it('rotates, compresses and bounds logs without losing a line for readers and followers', async () => {
    await using agent = await node.agent({
      containerLogMaxSize: '4Ki',
      containerLogMaxFiles: 3,
      containerLogMonitorInterval: '3s',
    });
    await agent.write('talker', {
      containers: [{ name: 'main', ...shell('i=0; while :; do echo line $i; i=$((i + 1)); sleep 0.01; done') }],
    });
    const uid = await agent.eventually('it runs', async () =>
      (await agent.running('talker', 'main')) === undefined ? undefined : (await agent.pod('talker'))?.metadata?.uid,
    );
    const folder = join(agent.folders.podLogs, `default_talker-node1_${uid}`, 'main');
    const following = agent.process.command('logs', 'talker', '--follow');

    const rotations = new Set<string>();
    await agent.eventually('three rotations', async () => {
      const files = await readdir(folder);
      // A file on its way to another name is there under both for a moment.
      for (const file of files) if (/^0\.log\.\d{8}-\d{6}$/.test(file)) rotations.add(file);
      return rotations.size >= 3;
    });
    const current = numbers((await agent.process.command('logs', 'talker')).stdout);
    expectNoGap(current);
    const tail = numbers((await agent.process.command('logs', 'talker', '--tail', '3')).stdout);
    expectNoGap(tail);
    expect(tail).toHaveLength(3);
    expect(tail[0]).toBeGreaterThan(current[0]!);

    // No rotation while the test reads the files.
    await agent.end('SIGTERM');
    const files = (await readdir(folder)).toSorted();
    expect(files).toEqual([
      '0.log',
      expect.stringMatching(/^0\.log\.\d{8}-\d{6}\.gz$/),
      expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/),
    ]);
    const [live = '', compressed = '', rotated = ''] = files;
    const texts = [
      gunzipSync(await readFile(join(folder, compressed))),
      await readFile(join(folder, rotated)),
      await readFile(join(folder, live)),
    ].map(String);
    for (const text of texts.slice(0, 2)) expect(text.length).toBeGreaterThanOrEqual(4096);
    const kept = numbers(texts.join(''));
    expectNoGap(kept);
    expect(kept[0]).toBeGreaterThan(0);

    const followed = numbers((await following).stdout);
    expectNoGap(followed);
    expect(followed[0]).toBeLessThan(kept[0]!);
    expect(followed.at(-1)).toBeGreaterThan(kept[0]!);
    expect(followed.at(-1)).toBeGreaterThanOrEqual(current.at(-1)!);
  });
});
