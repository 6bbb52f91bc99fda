import { join } from 'node:path';
import { type Agent, createAgent } from '@rxlet/agent';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { eviction } from '@rxlet/eviction';
import type { Pod, PodSpec } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasRunningPods, shell, type TestNode, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const MIB = 1024 ** 2;

describeOnEachRuntime('limits of local storage', {}, (startNode) => {
  let node: TestNode;
  let agent: Agent;
  // Static pods are never evicted.
  const source = createManualSource('api');

  beforeAll(async () => {
    node = await startNode();
    const { runtime, images } = node.cri;
    agent = await createAgent(
      {
        runtime,
        images,
        node: {
          ...(await readNodeFacts()),
          name: 'node1',
          rootDirectory: join(node.folder, 'kubelet'),
          podLogsDirectory: join(node.folder, 'logs'),
        },
      },
      [podsFrom(source), ...standalone([eviction()])],
    );
    await agent.start();
  });
  afterAll(async () => {
    source.set([]);
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)));
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  const waitFor = <T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, probe, () => JSON.stringify(agent.events.list().map(({ reason, message }) => [reason, message])));
  const pod = (name: string, script: string, spec: Partial<PodSpec> = {}): Pod => {
    const [container] = spec.containers ?? [];
    return manifestPod(name, {
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: [{ name: 'main', ...shell(`${script}; ${untilStopped()}`), ...container }],
    });
  };
  const status = (name: string): Pod['status'] =>
    agent.pods.list().find(({ metadata }) => metadata?.name === name)?.status;
  const fill = (path: string, mib: number): string =>
    `dd if=/dev/zero of=${path} bs=${String(MIB)} count=${String(mib)}`;

  it('evict the pods that exceed them, and leave the others alone', async () => {
    const scratch = {
      containers: [{ name: 'main', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '5Mi' } }],
    };
    const limited = { containers: [{ name: 'main', resources: { limits: { 'ephemeral-storage': '4Mi' } } }] };
    source.set([
      pod('filler', fill('/scratch/file', 8), scratch),
      pod('modest', fill('/scratch/file', 2), scratch),
      pod(
        'writer',
        'i=0; while [ $i -lt 8 ]; do head -c 1048576 /dev/zero | tr "\\0" x | fold -w 1000; i=$((i+1)); done',
        limited,
      ),
      pod('layer', fill('/file', 8), limited),
      pod('quiet', 'echo started', limited),
      pod('free', fill('/file', 8)),
    ]);
    const evicted = (name: string) => waitFor(`${name} is evicted`, async () => status(name)?.reason === 'Evicted');
    await Promise.all(['filler', 'writer', 'layer'].map(evicted));
    expect(status('filler')).toMatchObject({
      phase: 'Failed',
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "5Mi". ',
    });
    const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 4Mi. ';
    expect(status('writer')).toMatchObject({ phase: 'Failed', message });
    expect(status('layer')).toMatchObject({ phase: 'Failed', message });
    for (const name of ['modest', 'quiet', 'free'])
      expect(status(name), name).toMatchObject({
        phase: 'Running',
        containerStatuses: [{ restartCount: 0, state: { running: expect.anything() as unknown } }],
      });
  });
});
