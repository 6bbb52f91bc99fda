import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';
import { formatCpuSet, parseCpuSet } from '@rxlet/machine/topology';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, shell, type TestNode, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const guaranteed = { requests: { cpu: '1', memory: '32Mi' }, limits: { cpu: '1', memory: '32Mi' } };

describeOnEachRuntime('exclusive CPUs', {}, (startNode) => {
  let cgroups: TestCgroups;
  let node: TestNode;
  let agent: AgentUnderTest;
  /** All CPUs of the machine, of which the first is reserved. */
  const all = formatCpuSet(Array.from({ length: availableParallelism() }, (_, cpu) => cpu));

  beforeAll(async () => {
    cgroups = createTestCgroups();
    node = await startNode();
    agent = await node.agent({
      ...cgroups.kubelet,
      cpuManagerPolicy: 'static',
      reservedSystemCPUs: '0',
      // Changes take effect at once, not only with the next comparison.
      cpuManagerReconcilePeriod: '10m',
    });
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    cgroups[Symbol.dispose]();
  });

  const write = (name: string, resources?: object): Promise<void> =>
    agent.write(name, { containers: [{ name: 'main', ...shell(untilStopped()), ...(resources && { resources }) }] });
  /** Reads the CPUs of a running container from the kernel. */
  const cpusOf = async (pod: string): Promise<string | undefined> => {
    const container = await agent.running(pod, 'main').catch(() => undefined);
    if (container === undefined) return undefined;
    const cmd = ['grep', 'Cpus_allowed_list', '/proc/self/status'];
    const { stdout } = await node.cri.runtime.execSync({ containerId: container.id, cmd });
    return new TextDecoder().decode(stdout).split('\t')[1]?.trim();
  };
  const runsOn = (pod: string, cpus: string): Promise<unknown> =>
    agent.eventually(`${pod} runs on ${cpus}`, async () => (await cpusOf(pod)) === cpus, 120_000);
  const savedCpus = async (): Promise<unknown> => {
    const text = await readFile(join(agent.folders.root, 'cpu_manager_state'), 'utf8');
    return (JSON.parse(text) as { readonly entries?: unknown }).entries;
  };

  it.skipIf(availableParallelism() < 2)(
    'stay with their container over a kill of the agent and a restart of the runtime',
    { timeout: 300_000 },
    async () => {
      await write('shared');
      await runsOn('shared', all);
      await write('pinned', guaranteed);
      const { id } = await agent.eventually('it runs', () => agent.running('pinned', 'main'));
      const pinned = (await cpusOf('pinned'))!;
      expect(pinned).toMatch(/^[1-9]\d*$/);
      const others = formatCpuSet(parseCpuSet(all)!.difference(parseCpuSet(pinned)!));
      await runsOn('shared', others);
      const { uid = '' } = (await agent.pod('pinned'))!.metadata!;
      expect(await savedCpus()).toEqual({ [uid]: { main: pinned } });

      await agent.end('SIGKILL');
      agent.startAgain();
      await write('second');
      await runsOn('second', others);
      await node.restart();
      await write('third');
      await runsOn('third', others);
      expect((await agent.running('pinned', 'main'))?.id).toBe(id);
      expect([await cpusOf('pinned'), await cpusOf('shared')]).toEqual([pinned, others]);
      expect(await savedCpus()).toEqual({ [uid]: { main: pinned } });

      await agent.remove('pinned');
      for (const pod of ['shared', 'second', 'third']) await runsOn(pod, all);
      expect(await savedCpus()).toBeUndefined();
    },
  );

  it('cannot be given to a pod that needs more than there are', async () => {
    const cpu = String(availableParallelism());
    await write('large', { requests: { cpu, memory: '32Mi' }, limits: { cpu, memory: '32Mi' } });
    const { status } = await agent.eventually('it is rejected', async () => {
      const pod = await agent.pod('large');
      return pod?.status?.phase === 'Failed' && pod;
    });
    expect(status).toMatchObject({ reason: 'UnexpectedAdmissionError' });
    expect(status?.message).toContain('not enough cpus available to satisfy request: requested=');
    await agent.remove('large');
  });
});
