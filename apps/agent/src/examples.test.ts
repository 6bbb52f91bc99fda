import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from '@rxlet/agent';
import { corePodFields, createUnsupportedPodFields } from '@rxlet/agent/core';
import { standalone } from '@rxlet/kubelet';
import { imageManagement } from '@rxlet/image-manager';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { LogSink } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { decodeManifest } from '@rxlet/pod-source';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { pods as podKind } from './resources/pods.ts';
import { cellTexts } from './resources/resource-kind.ts';

const FOLDER = join(import.meta.dirname, '../examples');
const files = readdirSync(FOLDER).toSorted();
const unsupportedByCore = createUnsupportedPodFields(corePodFields);

function decode(file: string): Promise<{ pod: Pod; warnings: readonly string[] }> {
  return decodeManifest(readFileSync(join(FOLDER, file), 'utf8'), { nodeName: 'node1', origin: { file } });
}

describe('each example', () => {
  it.each(files)("%s is a pod of its file's name that asks for nothing the agent cannot give", async (file) => {
    const { pod, warnings } = await decode(file);
    expect(pod.metadata?.name).toBe(file.replace(/\.yaml$/, '-node1'));
    expect(warnings).toEqual([]);
    expect(unsupportedByCore(pod)).toEqual([]);
  });

  it.each(files)('%s needs only the image that is imported beforehand', async (file) => {
    const { pod } = await decode(file);
    for (const { container } of podContainers(pod)) {
      expect(container.image).toBe('docker.io/library/busybox:1.36');
      expect(container.imagePullPolicy).toBe('IfNotPresent');
    }
  });
});

describe('all examples together', () => {
  it('behave as documented', async () => {
    const { createFakeRuntime } = await import('@rxlet/fake-cri');
    const clock = createVirtualClock();
    const random = seededRandom(1);
    const written = new Map<string, string>();
    const logs: LogSink = {
      open: (path) => ({
        append: (lines) => void written.set(path, `${written.get(path) ?? ''}${lines}`),
        close: () => undefined,
      }),
    };
    await using fake = createFakeRuntime({ clock, random, logs });
    const source = createManualSource('file');
    const memory = createMemoryFiles({ files: { '/etc/hosts': '', '/etc/resolv.conf': '' } });
    await using agent = await createAgent(
      {
        runtime: fake.runtime,
        images: fake.images,
        clock,
        random,
        files: memory.nodeFiles,
        hostFiles: memory.hostFiles,
        node: {
          name: 'node1',
          rootDirectory: '/root',
          podLogsDirectory: '/logs',
          memoryCapacityBytes: 8n << 30n,
          nodeIps: ['192.0.2.1'],
        },
      },
      [
        podsFrom(source),
        ...standalone([
          imageManagement({ readFsStats: () => Promise.resolve({ capacityBytes: 1e12, availableBytes: 9e11 }) }),
        ]),
      ],
    );
    const table = (): string[] =>
      agent.pods
        .list()
        .map((pod) =>
          cellTexts(podKind, pod, clock.now())
            .slice(0, 5)
            .join(' ')
            .replace(/\(\S+ ago\)/, '(… ago)'),
        )
        .toSorted();
    /** Returns the log of a container without the runtime's marks. */
    const logged = (pod: string, container: string): string[] =>
      [...written]
        .filter(([path]) => path.includes(`_${pod}-node1_`) && path.includes(`/${container}/`))
        .flatMap(([, text]) => text.trim().split('\n'))
        .map((line) => line.replace(/^\S+ \S+ \S+ /, ''));

    await agent.start();
    source.set((await Promise.all(files.map(decode))).map(({ pod }) => pod));
    await clock.advance(500);
    expect(table()).toEqual([
      'default crash-loop-node1 1/1 Running 0',
      'default host-network-node1 1/1 Running 0',
      'default init-containers-node1 0/2 Init:0/2 0',
      'default job-node1 1/1 Running 0',
      'default web-node1 1/1 Running 0',
      'demo environment-node1 1/1 Running 0',
    ]);
    await clock.advance(9500);
    expect(table()).toEqual([
      'default crash-loop-node1 0/1 CrashLoopBackOff 1 (… ago)',
      'default host-network-node1 1/1 Running 0',
      'default init-containers-node1 2/2 Running 0',
      'default job-node1 0/1 Completed 0',
      'default web-node1 1/1 Running 0',
      'demo environment-node1 1/1 Running 0',
    ]);
    expect(logged('web', 'main').slice(0, 2)).toEqual(['ready on port 8080', 'still serving']);
    expect(logged('init-containers', 'check')).toEqual(['checking', 'all is well']);
    expect(logged('job', 'main')).toEqual(['begun', 'done']);
    expect(logged('crash-loop', 'main').slice(-2)).toEqual(['trying', 'no luck']);
    expect(logged('environment', 'main')).toEqual([
      'I am environment-node1 on node1',
      expect.stringMatching(/^my address is 10\.244\.0\.\d+, my team is blue$/),
      'I may use 100 thousandths of a CPU and 32 MiB',
    ]);
    expect(logged('host-network', 'main')[0]).toBe('seen at 192.0.2.1');

    source.set([]);
    await clock.advance(10_000);
    expect(table()).toEqual([]);
    // Dead containers of removed pods go with the next garbage collection.
    await clock.advance(60_000);
    expect(fake.snapshot().containers).toEqual([]);
  });
});
