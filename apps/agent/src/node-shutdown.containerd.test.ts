import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createFakeKube, type FakeKube, nodeUser, serveFakeKube } from '@rxlet/fake-kube';
import type { Node, Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { hasRunningPods, shell, startContainerdNode } from './test-support/containerd-node.ts';
import { type PrivateLogind, privateLogindUnavailable, startPrivateLogind } from './test-support/private-logind.ts';

const unavailable = containerdUnavailable() ?? privateLogindUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const NAMES = ['low', 'stubborn', 'high', 'critical'];
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

interface Bench {
  readonly kube: FakeKube;
  readonly logind: PrivateLogind;
  readonly agent: AgentProcess;
  start(): void;
  pod(name: string): Pod | undefined;
  node(): Node | undefined;
  create(name: string, spec: Partial<PodSpec>): void;
  /** Waits until something holds. */
  until(what: string, probe: () => boolean | Promise<boolean>): Promise<void>;
}

/** Starts an agent as a node, with a pod of each priority and one that ignores SIGTERM. */
async function createBench(): Promise<Bench> {
  const machine = await startContainerdNode();
  onTestFinished(() => machine[Symbol.asyncDispose]());
  const folder = join(machine.folder, 'node');
  await mkdir(folder);
  const logind = await startPrivateLogind(folder, 60);
  onTestFinished(() => logind[Symbol.asyncDispose]());
  const kube = createFakeKube({ clock: systemClock, random: systemRandom }, { authorization: 'node' });
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const server = await serveFakeKube(kube);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, await server.kubeconfig(nodeUser('node1')), { mode: 0o600 });
  const made = await makeAgentFolders(folder, {
    shutdownGracePeriodByPodPriority: [
      { priority: 0, shutdownGracePeriodSeconds: 5 },
      { priority: 1_000, shutdownGracePeriodSeconds: 5 },
      { priority: 2_000_000_000, shutdownGracePeriodSeconds: 5 },
    ],
  });
  const folders = { ...made, enter: ['/usr/bin/env', `DBUS_SYSTEM_BUS_ADDRESS=${logind.busAddress}`] };
  const startOne = (): AgentProcess =>
    startAgent(folders, '--container-runtime-endpoint', machine.endpoint, '--kubeconfig', kubeconfig);
  let agent = startOne();
  onTestFinished(async () => {
    // Another one removes what a failed test left.
    for (const { metadata } of kube.objects.list(resources.pods) as readonly Pod[])
      kube.objects.delete(resources.pods, metadata!.name!, 'default', 1);
    await eventually('nothing runs', async () => !(await hasRunningPods(machine.cri)), agent.output);
    await agent[Symbol.asyncDispose]();
  });
  const bench: Bench = {
    kube,
    logind,
    get agent() {
      return agent;
    },
    start: () => void (agent = startOne()),
    pod: (name) => kube.objects.get(resources.pods, name, 'default') as Pod | undefined,
    node: () => kube.objects.get(resources.nodes, 'node1') as Node | undefined,
    create: (name, spec) =>
      void kube.objects.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { nodeName: 'node1', terminationGracePeriodSeconds: 600, ...spec },
      }),
    until: async (what, probe) => {
      await eventually(what, async () => probe(), agent.output, 60_000);
    },
  };
  const container = (script: string) => ({
    containers: [{ name: 'main', ...shell(`${script}; while :; do sleep 0.1; done`) }],
  });
  // A second between SIGTERM and the end separates the groups.
  bench.create('low', { ...container("trap 'exit 0' TERM"), priority: 0 });
  bench.create('stubborn', { ...container("trap '' TERM"), priority: 5 });
  bench.create('high', { ...container("trap 'sleep 1; exit 0' TERM"), priority: 1_000 });
  bench.create('critical', { ...container("trap 'sleep 1; exit 0' TERM"), priority: 2_000_001_000 });
  await bench.until('the pods run', () => NAMES.every((name) => bench.pod(name)?.status?.phase === 'Running'));
  await bench.until('shutdowns are delayed', async () => (await logind.inhibitors()).includes('"kubelet"'));
  return bench;
}

/** Returns the end of a pod's container, as the API server has it. */
const endOf = (bench: Bench, name: string) => bench.pod(name)?.status?.containerStatuses?.[0]?.state?.terminated;

/** Expects the final statuses in the API server, and that these pods ended one after the other. */
function expectEndsInOrder(bench: Bench, names: readonly string[]): void {
  for (const name of NAMES) {
    const { phase, reason, message, conditions, containerStatuses } = bench.pod(name)!.status!;
    expect({ phase, reason, message }, name).toEqual({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
    expect(conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    );
    expect(containerStatuses).toMatchObject([{ restartCount: 0 }]);
  }
  expect(NAMES.map((name) => endOf(bench, name)?.exitCode)).toEqual([0, 137, 0, 0]);
  const ends = names.map((name) => Date.parse(endOf(bench, name)!.finishedAt!));
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect(new Set(ends).size, ends.join()).toBe(names.length);
}

describe.skipIf(unavailable !== undefined)('a shutdown of the node, announced by logind,', () => {
  it('ends pods in the order of their priorities, and is delayed until the API server has their statuses', async () => {
    const bench = await createBench();
    await bench.logind.prepareForShutdown(true);
    await bench.until(
      'the node is not ready',
      () =>
        bench
          .node()
          ?.status?.conditions?.find(({ type }) => type === 'Ready')
          ?.message?.includes('node is shutting down') === true,
    );
    bench.create('late', { containers: [{ name: 'main', ...shell('sleep 1000') }] });
    await bench.until('another pod is rejected', () => bench.pod('late')?.status?.reason === 'NodeShutdown');
    expect(endOf(bench, 'high')).toBeUndefined();
    await bench.until('the lock is given back', async () => !(await bench.logind.inhibitors()).includes('"kubelet"'));
    expectEndsInOrder(bench, NAMES);
  });

  it('goes on after the agent was killed in the middle', async () => {
    const bench = await createBench();
    await bench.logind.prepareForShutdown(true);
    await bench.until('the first pod has ended', () => endOf(bench, 'low') !== undefined);
    expect(await bench.agent.end('SIGKILL')).toBe('SIGKILL');
    expect(endOf(bench, 'stubborn')).toBeUndefined();
    await bench.until(
      'the lock is lost with the agent',
      async () => !(await bench.logind.inhibitors()).includes('"kubelet"'),
    );
    bench.start();
    await bench.until('the pods have ended', () => NAMES.every((name) => bench.pod(name)?.status?.phase === 'Failed'));
    // The time of the first group may be over when the agent has started again; the pod that ignores SIGTERM then has two seconds.
    expectEndsInOrder(bench, ['low', 'high', 'critical']);
  });
});
