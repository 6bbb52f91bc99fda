import { contribute } from '@rxlet/agent-api';
import { podSources } from '@rxlet/agent-api/sources';
import { ContainerState } from '@rxlet/cri-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createFileSource } from '@rxlet/pod-source';
import { testManifest } from '@rxlet/pod-source/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode } from '../test-node.ts';

/** Creates a node whose agent ran two manifests and was killed. */
async function died() {
  const bench = createTestNode();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const files = createMemoryFiles();
  const lastGoodFile = { files: files.nodeFiles, path: '/root/static_pods' };
  const start = () => {
    const source = createFileSource(
      { clock: bench.clock, hostFiles: files.hostFiles, lastGoodFile },
      { path: '/manifests', nodeName: 'node1' },
    );
    return bench.start({
      modules: [contributing({ contributions: [contribute(podSources, source)] }, 'pods-from-file')],
    });
  };
  files.put('/manifests/one.yaml', testManifest('one', 'busybox:1'));
  files.put('/manifests/two.yaml', testManifest('two', 'busybox:1'));
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
  return { bench, files, start, running, before };
}

describe('an agent that starts beside a manifest that is half written', () => {
  it('does not restart its pod, restarts its crashed containers, and terminates pods of removed manifests', async () => {
    const { bench, files, start, running, before } = await died();
    files.put('/manifests/one.yaml', 'apiVersion: v1\nkind: Po');
    files.remove('/manifests/two.yaml');
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
    files.put('/manifests/one.yaml', testManifest('one', 'busybox:1'));
    await bench.clock.advance(20_000);
    const [restarted] = running();
    await bench.clock.advance(120_000);
    expect(running()).toEqual([restarted]);
    files.remove('/manifests/one.yaml');
    await bench.clock.advance(60_000);
    expect(running()).toEqual([]);
  });
});
