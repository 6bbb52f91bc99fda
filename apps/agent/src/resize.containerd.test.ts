import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent } from '@rxlet/agent';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { cgroups as cgroupsModule } from '@rxlet/container-manager';
import { noopLogger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';

function podOf(cpu: string, memory: string): Pod {
  const amounts = { cpu, memory };
  const app = { name: 'app', ...shell(untilStopped()), resources: { requests: amounts, limits: amounts } };
  return manifestPod('web', { containers: [app], terminationGracePeriodSeconds: 2 });
}

describeOnEachRuntime('a resize', {}, (startNode) => {
  let cgroups: TestCgroups;
  let node: TestNode;
  beforeAll(async () => {
    cgroups = createTestCgroups();
    node = await startNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    cgroups[Symbol.dispose]();
  });

  it('changes the cgroups of the container and of its pod, up and down', async () => {
    const rootDirectory = join(node.folder, 'resized');
    await mkdir(rootDirectory);
    const source = createManualSource('api');
    source.set([podOf('250m', '64Mi')]);
    const { cgroupRoot } = cgroups.kubelet;
    await using agent = await createAgent(
      {
        ...node.cri,
        logger: noopLogger,
        node: { ...(await readNodeFacts()), rootDirectory, podLogsDirectory: join(rootDirectory, 'logs') },
      },
      [podsFrom(source), ...standalone([cgroupsModule({ cgroupRoot })])],
    );
    await agent.start();
    const pod = (): Pod | undefined => agent.pods.list()[0];
    await eventually('it runs', async () => pod()?.status?.phase === 'Running');
    const id = pod()!.status!.containerStatuses![0]!.containerID!.replace(/^.*:\/\//, '');
    const podPath = `kubepods/pod${pod()!.metadata!.uid!}`;
    const limits = (path: string): string[] => [
      cgroups.value('cpu', path, 'cpu.cfs_quota_us'),
      cgroups.value('cpu', path, 'cpu.shares'),
      cgroups.value('memory', path, 'memory.limit_in_bytes'),
    ];
    expect(limits(podPath)).toEqual(['25000', '256', '67108864']);
    expect(limits(`${podPath}/${id}`)).toEqual(['25000', '256', '67108864']);

    for (const [cpu, memory, expected] of [
      ['500m', '128Mi', ['50000', '512', '134217728']],
      ['100m', '32Mi', ['10000', '102', '33554432']],
    ] as const) {
      source.set([podOf(cpu, memory)]);
      await eventually('the pod is resized', async () => limits(podPath).join() === expected.join());
      await eventually('so is its container', async () => limits(`${podPath}/${id}`).join() === expected.join());
      await eventually('the status shows it', async () => {
        const [status] = pod()!.status!.containerStatuses!;
        return status!.resources?.limits?.['cpu'] === cpu && status!.allocatedResources?.['memory'] === memory;
      });
    }
    expect(pod()!.status!.containerStatuses![0]).toMatchObject({ restartCount: 0 });
    source.set([]);
    await eventually('its cgroups are gone', async () => cgroups.ofPods().length === 0);
  });
});
