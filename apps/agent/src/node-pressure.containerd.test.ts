import { mkdir, readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Agent, createAgent } from '@rxlet/agent';
import { cgroups } from '@rxlet/container-manager';
import { createTestCgroups, type TestCgroups } from '@rxlet/container-manager/testing';
import { eviction, type EvictionOptions } from '@rxlet/eviction';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import type { Pod, PodSpec, PodStatus } from '@rxlet/kube-api';
import { createManualSource, type ManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { run } from '@rxlet/test-containerd/processes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContainerdNode,
  hasRunningPods,
  shell,
  startContainerdNode,
  untilStopped,
} from './test-support/containerd-node.ts';

const MIB = 1024 ** 2;
/** Size of the file system of the agent's root directory. */
const DISK_MIB = 64;
/** Memory for all pods. */
const MEMORY_MIB = 400;

const unavailable = containerdUnavailable();

/** A node with little memory and a small disk of its own, so that its pressure is none of the machine. */
describe.skipIf(unavailable !== undefined)('a node under pressure on containerd', () => {
  let node: ContainerdNode;
  let testCgroups: TestCgroups;
  let root: string;
  let agent: Agent | undefined;
  // A source serves one agent.
  let source: ManualSource | undefined;
  let desired: readonly Pod[];
  const desire = (...pods: readonly Pod[]): void => {
    desired = pods;
    source?.set(pods);
  };

  beforeEach(async () => {
    desired = [];
    node = await startContainerdNode();
    testCgroups = createTestCgroups();
    root = join(node.folder, 'kubelet');
    await mkdir(root);
    await run('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MIB)}m`, 'tmpfs', root]);
  });
  afterEach(async () => {
    desire();
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)));
    await stop();
    await run('umount', [root]);
    await node[Symbol.asyncDispose]();
    testCgroups[Symbol.dispose]();
  });

  const start = async (evictionHard: EvictionOptions['evictionHard'], podPidsLimit?: number): Promise<void> => {
    const { runtime, images } = node.cri;
    source = createManualSource('api');
    source.set(desired);
    const reserved = Math.ceil(totalmem() / MIB) - MEMORY_MIB;
    agent = await createAgent(
      {
        runtime,
        images,
        node: {
          ...(await readNodeFacts()),
          name: 'node1',
          rootDirectory: root,
          podLogsDirectory: join(node.folder, 'logs'),
        },
      },
      [
        podsFrom(source),
        ...standalone([
          cgroups({
            cgroupsPerQOS: true,
            cgroupRoot: testCgroups.kubelet.cgroupRoot,
            ...(podPidsLimit !== undefined && { podPidsLimit }),
            enforceNodeAllocatable: ['pods'],
            systemReserved: { memory: `${String(reserved)}Mi` },
          }),
          eviction({ evictionHard, enforceNodeAllocatable: ['pods'], pressureTransitionPeriodMs: 3_000 }),
        ]),
      ],
    );
    await agent.start();
  };
  const stop = async (): Promise<void> => {
    await agent?.[Symbol.asyncDispose]();
    agent = undefined;
  };
  const waitFor = async (what: string, probe: () => boolean | Promise<boolean>): Promise<void> => {
    const details = (): string =>
      JSON.stringify([
        agent?.debugState()['eviction'],
        agent?.events.list().map(({ reason, message }) => [reason, message]),
      ]);
    await eventually(what, async () => probe(), details, 60_000);
  };
  const pod = (name: string, script: string, spec: Partial<PodSpec> = {}, memory = ''): Pod =>
    manifestPod(name, {
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: [
        {
          name: 'main',
          ...shell(script),
          ...(memory !== '' && { resources: { requests: { memory } } }),
          volumeMounts: (spec.volumes ?? []).map(({ name: volume }) => ({ name: volume, mountPath: `/${volume}` })),
        },
      ],
    });
  const scratch = { volumes: [{ name: 'scratch', emptyDir: {} }] };
  const modest = (name: string): Pod => pod(name, untilStopped(), scratch, '50Mi');
  /** Holds memory in the buffer of a program that cannot write. */
  const eater = (mib: number): Pod =>
    pod('eater', `dd if=/dev/zero bs=${String(mib * MIB)} count=1 | sleep 10000`, {}, '10Mi');
  const hoarder = (mib: number): Pod =>
    pod(
      'hoarder',
      `dd if=/dev/zero of=/scratch/file bs=${String(MIB)} count=${String(mib)}; ${untilStopped()}`,
      scratch,
      '10Mi',
    );
  const forker = (processes: number): Pod =>
    pod('forker', `i=0; while [ $i -lt ${String(processes)} ]; do sleep 10000 & i=$((i+1)); done; wait`, {}, '10Mi');
  const status = (name: string): PodStatus | undefined =>
    agent!.pods.list().find(({ metadata }) => metadata?.name === name)?.status;
  const isRunning = (name: string) => () => status(name)?.phase === 'Running';
  const isEvicted = (name: string) => () => status(name)?.reason === 'Evicted';
  const conditions = (): readonly string[] => (agent!.debugState()['eviction'] as { conditions: string[] }).conditions;
  const expectUnharmed = (name: string): void =>
    expect(status(name), name).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 0, state: { running: expect.anything() as unknown } }],
    });

  it('evicts the pod that eats memory, rejects pods without requests meanwhile, and recovers', async () => {
    await start({ 'memory.available': '150Mi' });
    desire(modest('modest'));
    await waitFor('the pod runs', isRunning('modest'));
    desire(modest('modest'), eater(280));
    await waitFor('the eater is evicted', isEvicted('eater'));
    expect(status('eater')?.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 150Mi, available: \d+Ki\. Container main was using \d+Ki, request is 10Mi, has larger consumption of memory\. $/,
    );
    expect(conditions()).toEqual(['MemoryPressure']);
    desire(modest('modest'), eater(280), pod('late', untilStopped()));
    await waitFor('a pod without requests is rejected', isEvicted('late'));
    await waitFor('the pressure is over', () => conditions().length === 0);
    expectUnharmed('modest');
    desire(modest('modest'), pod('later', untilStopped()));
    await waitFor('pods without requests are welcome', isRunning('later'));
  });

  it('evicts for memory and for the disk when both run out at once', async () => {
    await start({ 'memory.available': '150Mi', 'nodefs.available': '50%' });
    desire(modest('modest'));
    await waitFor('the pod runs', isRunning('modest'));
    desire(modest('modest'), eater(280), hoarder(48));
    await Promise.all([
      waitFor('the eater is evicted', isEvicted('eater')),
      waitFor('the hoarder is evicted', isEvicted('hoarder')),
    ]);
    expect(status('eater')?.message).toContain('The node was low on resource: memory. ');
    expect(status('hoarder')?.message).toContain('The node was low on resource: ephemeral-storage. ');
    await waitFor('the pressure is over', () => conditions().length === 0);
    expectUnharmed('modest');
  });

  it('evicts from a node that is over its threshold at start, until it has enough', async () => {
    await start({});
    desire(modest('modest'), hoarder(48));
    await waitFor('the pods run', () => isRunning('modest')() && isRunning('hoarder')());
    const free = async (): Promise<number> => {
      const { bavail, blocks } = await statfs(root);
      return bavail / blocks;
    };
    await waitFor('the disk is full', async () => (await free()) < 0.3);
    await stop();
    await start({ 'nodefs.available': '50%' });
    await waitFor('the hoarder is evicted', isEvicted('hoarder'));
    await waitFor('the pressure is over', () => conditions().length === 0);
    expect(await free()).toBeGreaterThan(0.5);
    expectUnharmed('modest');
  });

  it('evicts the pod that forks, and recovers', async () => {
    await start({ 'pid.available': String((await availablePids()) - 500) });
    desire(modest('modest'));
    await waitFor('the pod runs', isRunning('modest'));
    desire(modest('modest'), forker(1_500));
    await waitFor('the forker is evicted', isEvicted('forker'));
    expect(status('forker')?.message).toMatch(
      /^The node was low on resource: pids\. Threshold quantity: \d+, available: \d+\. $/,
    );
    await waitFor('the pressure is over', () => conditions().length === 0);
    expectUnharmed('modest');
  });

  it('keeps a pod that forks within its limit of processes', async () => {
    await start({}, 40);
    desire(modest('modest'), forker(100));
    await waitFor(
      'the forker cannot fork',
      () =>
        status('forker')?.containerStatuses?.[0]?.state?.terminated?.exitCode === 2 ||
        (status('forker')?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
    );
    await waitFor('the pod runs', isRunning('modest'));
    expectUnharmed('modest');
  });
});

/** Returns the number of processes and threads that the machine can still create. */
async function availablePids(): Promise<number> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8');
  const limits = await Promise.all(['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max'].map(read));
  return Math.min(...limits.map(Number)) - Number(/\/(\d+)/.exec(await read('/proc/loadavg'))![1]);
}
