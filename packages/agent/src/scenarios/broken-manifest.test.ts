import { ContainerState } from '@rxlet/cri-api';
import { createFileSource, type LastGoodFile } from '@rxlet/pod-source';
import { createMemoryManifestFolder, testManifest } from '@rxlet/pod-source/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgentBench } from '../test-support/agent-bench.ts';

/** An agent that has run two manifests and died. */
async function died() {
  const bench = createAgentBench();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const folder = createMemoryManifestFolder('/manifests');
  let text: string | undefined;
  const lastGoodFile: LastGoodFile = {
    path: '/root/static_pods',
    read: () => Promise.resolve(text),
    write: (written) => Promise.resolve(void (text = written)),
  };
  const start = () => {
    const source = createFileSource(
      { clock: bench.clock, folder, lastGoodFile },
      { path: '/manifests', nodeName: 'node1' },
    );
    return bench.start({}, { sources: [source] });
  };
  folder.write('one.yaml', testManifest('one', 'busybox:1'));
  folder.write('two.yaml', testManifest('two', 'busybox:1'));
  await start();
  await bench.clock.advance(10_000);
  const running = () =>
    bench.fake
      .snapshot()
      .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
      .map(({ id }) => id)
      .sort();
  const before = running();
  expect(before).toHaveLength(2);
  await bench.kill();
  return { bench, folder, start, running, before };
}

describe('an agent that starts beside a manifest that is half written', () => {
  it('does not restart its pod, restarts what crashes in it, and ends those of manifests that are gone', async () => {
    const { bench, folder, start, running, before } = await died();
    folder.write('one.yaml', 'apiVersion: v1\nkind: Po');
    folder.remove('two.yaml');
    await start();
    await bench.clock.advance(120_000);
    const [left] = running();
    expect(running()).toHaveLength(1);
    expect(before).toContain(left);
    expect(bench.agent().pods.list()).toMatchObject([
      { metadata: { name: 'one-node1' }, status: { phase: 'Running' } },
    ]);
    bench.fake.exitContainer(left!, 1);
    await bench.clock.advance(20_000);
    expect(running()).toHaveLength(1);
    folder.write('one.yaml', testManifest('one', 'busybox:1'));
    await bench.clock.advance(20_000);
    const [restarted] = running();
    await bench.clock.advance(120_000);
    expect(running()).toEqual([restarted]);
    folder.remove('one.yaml');
    await bench.clock.advance(60_000);
    expect(running()).toEqual([]);
  });
});
