import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';
import type { Summary } from '@rxlet/stats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectToAgent } from './commands/agent-connection.ts';
import { socketPath } from './config/standard-places.ts';
import { type AgentUnderTest, shell, type TestNode, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const MI = 1024 ** 2;

describeOnEachRuntime('statistics of pods', {}, (startNode) => {
  let cgroups: TestCgroups;
  let node: TestNode;
  let agent: AgentUnderTest;

  beforeAll(async () => {
    cgroups = createTestCgroups();
    node = await startNode();
    agent = await node.agent(cgroups.kubelet);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    cgroups[Symbol.dispose]();
  });

  const get = async (path: string): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of connectToAgent(socketPath(agent.folders.root)).stream(path)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('measures the cgroups, the logs and the volumes', async () => {
    const resources = { limits: { cpu: '500m', memory: '64Mi' } };
    await agent.write('busy', {
      containers: [
        {
          name: 'main',
          ...shell(`dd if=/dev/zero of=/scratch/file bs=1024 count=100; ${untilStopped()}`),
          resources,
          volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
        },
      ],
      volumes: [{ name: 'scratch', emptyDir: {} }],
    });
    const container = await agent.eventually('it runs', () => agent.running('busy', 'main'));
    const uid = (await agent.pod('busy'))!.metadata!.uid!;
    const pod = await agent.eventually('it is measured twice', async () => {
      const { pods } = JSON.parse(await get('/stats/summary')) as Summary;
      const found = pods.find(({ podRef }) => podRef.uid === uid);
      return found?.cpu?.usageNanoCores === undefined ? undefined : found;
    });
    expect(pod.podRef.namespace).toBe('default');
    expect(pod.process_stats?.process_count).toBeGreaterThan(0);
    const [main] = pod.containers!;
    expect(main).toMatchObject({ name: 'main', logs: { inodesUsed: 1 } });
    expect(main!.memory!.availableBytes! + main!.memory!.workingSetBytes!).toBe(64 * MI);
    expect(main!.cpu!.usageCoreNanoSeconds).toBeGreaterThan(0);
    const volume = await agent.eventually('its volume is measured', async () => {
      const { pods } = JSON.parse(await get('/stats/summary')) as Summary;
      return pods.find(({ podRef }) => podRef.uid === uid)?.volume?.find(({ name }) => name === 'scratch');
    });
    expect(volume.usedBytes).toBeGreaterThanOrEqual(100 * 1024);

    const path = `${cgroups.kubelet.cgroupRoot}/kubepods/pod${uid}`;
    const metrics = await get('/metrics/cadvisor');
    expect(metrics).toContain(`container_spec_memory_limit_bytes{container="main",id="${path}/${container.id}"`);
    expect(metrics).toMatch(/^container_scrape_error 0$/m);
    expect(await get('/metrics/resource')).toMatch(
      /^container_memory_working_set_bytes\{container="main",namespace="default",pod="busy.*"\} \d+ \d+$/m,
    );
  });
});
