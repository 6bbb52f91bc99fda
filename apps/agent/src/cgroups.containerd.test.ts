import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentUnderTest, type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';

const MI = 1024 ** 2;

describeOnEachRuntime('cgroups of pods', {}, (startNode) => {
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

  const uidOf = async (pod: string): Promise<string> => (await agent.pod(pod))!.metadata!.uid!;
  const inside = async (pod: string, ...command: string[]): Promise<string> => {
    const container = await agent.eventually(`${pod} runs`, () => agent.running(pod, 'main'));
    const { stdout } = await node.cri.runtime.execSync({ containerId: container.id, cmd: command });
    return new TextDecoder().decode(stdout);
  };
  const gone = (uid: string): Promise<unknown> =>
    agent.eventually('its cgroups are gone', async () => !cgroups.ofPods().some((path) => path.includes(uid)));

  it('puts a pod below its QoS class, with its limits, and removes its cgroup at its end', async () => {
    const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '500m', memory: '64Mi' } };
    await agent.write('limited', { containers: [{ name: 'main', ...shell(untilStopped()), resources }] });
    const membership = await inside('limited', 'cat', '/proc/1/cgroup');
    const uid = await uidOf('limited');
    const podPath = `kubepods/burstable/pod${uid}`;
    for (const controller of ['cpu', 'memory', 'pids', 'cpuset'])
      expect(membership).toMatch(
        new RegExp(`^\\d+:${controller}:${cgroups.kubelet.cgroupRoot}/${podPath}/[0-9a-f]{64}$`, 'm'),
      );
    expect(cgroups.value('memory', podPath, 'memory.limit_in_bytes')).toBe(String(64 * MI));
    expect(cgroups.value('cpu', podPath, 'cpu.cfs_quota_us')).toBe('50000');
    expect(cgroups.value('cpu', podPath, 'cpu.shares')).toBe('102');
    expect(cgroups.value('cpu', 'kubepods/burstable', 'cpu.shares')).toBe('102');
    await agent.remove('limited');
    await gone(uid);
  });

  it('holds a pod to its limit as a whole', async () => {
    await agent.write('shared', {
      resources: { limits: { memory: '48Mi' } },
      containers: [
        { name: 'main', ...shell(untilStopped()) },
        { name: 'greedy', ...shell('sleep 0.5; tail /dev/zero') },
      ],
      restartPolicy: 'Never',
    });
    // The containers have no limits of their own. Which process dies is the kernel's choice: mostly the greedy one's, rarely also one of the others.
    const terminated = await agent.eventually(
      'the greedy container is killed',
      async () => (await agent.status('shared', 'greedy'))?.state?.terminated,
    );
    expect(terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
    const uid = await uidOf('shared');
    await agent.remove('shared');
    await gone(uid);
  });

  it('kills what is left in the cgroup of a pod', async () => {
    await agent.write('left', { containers: [{ name: 'main', ...shell(untilStopped()) }] });
    await agent.eventually('it runs', () => agent.running('left', 'main'));
    const uid = await uidOf('left');
    const stray = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const ended = once(stray, 'exit');
    cgroups.move(`kubepods/besteffort/pod${uid}`, stray.pid!);
    await agent.remove('left');
    await gone(uid);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('removes the cgroups of pods that went while no agent ran', async () => {
    await agent.write('away', { containers: [{ name: 'main', ...shell(untilStopped()) }] });
    await agent.eventually('it runs', () => agent.running('away', 'main'));
    const uid = await uidOf('away');
    await agent.end('SIGKILL');
    await agent.remove('away');
    for (const { id } of await agent.sandboxes('away')) {
      await node.cri.runtime.stopPodSandbox({ podSandboxId: id });
      await node.cri.runtime.removePodSandbox({ podSandboxId: id });
    }
    expect(cgroups.ofPods().some((path) => path.includes(uid))).toBe(true);
    agent.startAgain();
    await gone(uid);
  });
});
