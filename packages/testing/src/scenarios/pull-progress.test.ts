import type { AgentModule } from '@rxlet/agent-api';
import { type ImagePulls, imagePulls } from '@rxlet/agent-api/images';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-node.ts';

const MB = 1_000_000;
const slow = (name: string) =>
  ({
    tags: [`registry.example/${name}:1`],
    sizeBytes: 10 * MB,
    pullLatencyMs: 1500,
    bandwidthBytesPerSecond: MB,
  }) as const;
const pod = (name: string) =>
  manifestPod(name, { containers: [{ name: 'app', image: `registry.example/${name}:1`, command: ['serve'] }] });

it('shows the bytes of the pull that runs, and behind which one the next pod waits', async () => {
  let pulls!: ImagePulls;
  const watcher: AgentModule = {
    name: 'watcher',
    needs: [imagePulls],
    setup({ services }) {
      pulls = services.get(imagePulls);
      return undefined;
    },
  };
  await using node = createTestNode({ images: [slow('first'), slow('second')] });
  await node.start({ modules: [watcher] });
  node.desire(pod('first'), pod('second'));
  await node.until(() => pulls.pulls.value.length === 2);
  const startMs = node.clock.now();
  const shown = () => pulls.pulls.value;
  const uidOf = (name: string) =>
    node
      .agent()
      .pods.list()
      .find(({ metadata }) => metadata?.name?.startsWith(name))!.metadata!.uid;
  const [running, queued] = ['first', 'second'].map((name) => ({
    image: `registry.example/${name}:1`,
    requests: [{ podUid: uidOf(name), fieldPath: 'spec.containers{app}' }],
    sinceMs: startMs,
  }));

  expect(pulls.serializeImagePulls).toBe(true);
  expect(shown()).toEqual([
    { ...running, phase: 'pulling', position: 0 },
    { ...queued, phase: 'queued', position: 1 },
  ]);
  await node.advance(1000);
  expect(shown()[0]?.progress).toEqual({ step: 'resolving' });
  await node.advance(2000);
  expect(shown()).toEqual([
    {
      ...running,
      phase: 'pulling',
      position: 0,
      progress: { step: 'downloading', currentBytes: 1.5 * MB, totalBytes: 10 * MB },
    },
    { ...queued, phase: 'queued', position: 1 },
  ]);
  await node.until(() => shown().length === 1);
  expect(node.clock.now() - startMs).toBe(11_500);
  expect(shown()).toEqual([{ ...queued, phase: 'pulling', position: 0, sinceMs: startMs + 11_500 }]);
  await node.untilPhase('second', 'Running');
  expect(shown()).toEqual([]);
  await node.expectNoLeaks();
});
