import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import type { Event, Pod } from '@rxlet/kube-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterNode, startClusterNode } from './test-support/cluster-node.ts';
import { untilStopped } from './test-support/containerd-node.ts';
import { controlPlaneUnavailable } from '@rxlet/test-containerd/control-plane';
import { podTemplate, workload } from './test-support/workloads.ts';

const unavailable = controlPlaneUnavailable() ?? containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const WAIT = '--timeout=60s';

describe.skipIf(unavailable !== undefined)('workloads of a Kubernetes control plane', () => {
  let cluster: ClusterNode;

  beforeAll(async () => {
    cluster = await startClusterNode();
    await cluster.eventually('the node is ready', () => cluster.readyNode());
    // It runs at the next full minute, which the last test waits for.
    const ticks = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'ticks' } };
    const template = podTemplate('ticks', 'echo tick', { restartPolicy: 'OnFailure' });
    await cluster.apply({ ...ticks, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const podsOf = (app: string): Promise<readonly Pod[]> => cluster.list<Pod>('pods', '-l', `app=${app}`);
  const rollOut = (what: string): Promise<string> => cluster.kubectl(['rollout', 'status', what, WAIT]);
  const gone = (app: string): Promise<unknown> =>
    cluster.eventually(`the pods of ${app} are gone`, async () => (await podsOf(app)).length === 0);

  it('shows the node as a kubelet does', async () => {
    // The lease needs the Node object as its owner, and is created with its second attempt.
    const description = await cluster.eventually('the node has a lease', async () => {
      const text = await cluster.kubectl(['describe', 'node', 'node1']);
      return /HolderIdentity: +node1/.test(text) && text;
    });
    const rows = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
      (type) => `${type} +False +.* Kubelet(HasSuff|HasNo)`,
    );
    for (const row of [
      ...rows,
      'Ready +True .* KubeletReady +kubelet is posting ready status',
      'Hostname: +node1',
      'Kubelet Version: +v1\\.36',
      'Container Runtime Version: +containerd://\\d+\\.\\d+\\.\\d+\\S*$',
      'pods: +110',
    ])
      expect(description).toMatch(new RegExp(`^ *${row}`, 'm'));
    const reasons = async (): Promise<string[]> =>
      (await cluster.list<Event>('events', '--field-selector', 'involvedObject.kind=Node,source=kubelet')).map(
        ({ reason = '' }) => reason,
      );
    await cluster.eventually('the events of a node', async () => {
      const seen = await reasons();
      return ['Starting', 'NodeHasSufficientMemory', 'NodeAllocatableEnforced'].every((one) => seen.includes(one));
    });
  });

  it('runs a Deployment of 30 pods, scales, updates and deletes it', async () => {
    await cluster.apply(workload('Deployment', 'web', { replicas: 30 }));
    await cluster.kubectl(['wait', '--for=condition=Available', 'deployment/web', WAIT]);
    await rollOut('deployment/web');
    await cluster.kubectl(['scale', 'deployment/web', '--replicas=3']);
    await cluster.eventually('three pods are left', async () => (await podsOf('web')).length === 3);
    const before = await cluster.containers('app=web');
    await cluster.kubectl(['set', 'env', 'deployment/web', 'VERSION=2']);
    await rollOut('deployment/web');
    await cluster.eventually('three new pods run', async () => {
      const now = await cluster.containers('app=web');
      return now.length === 3 && !now.some((id) => before.includes(id));
    });
    await cluster.kubectl(['delete', 'deployment/web']);
    await gone('web');
    await cluster.eventually('nothing of it is left in the runtime', async () =>
      (await cluster.node.cri.runtime.listPodSandbox({})).items.every(({ labels }) => labels['app'] !== 'web'),
    );
  });

  it('completes and fails Jobs', async () => {
    const job = (name: string, script: string, spec: object): object => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { template: podTemplate(name, script, { restartPolicy: 'Never' }), ...spec },
    });
    const onExitCodes = { operator: 'In', values: [42] };
    await cluster.apply(
      job('good', 'echo done', { completions: 4, parallelism: 2 }),
      job('bad', 'exit 42', { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] } }),
    );
    await cluster.kubectl(['wait', '--for=condition=complete', 'job/good', WAIT]);
    await cluster.kubectl(['wait', '--for=condition=failed', 'job/bad', WAIT]);
    expect((await podsOf('good')).map(({ status }) => status?.phase)).toEqual(Array(4).fill('Succeeded'));
    expect((await podsOf('bad'))[0]?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(42);
  });

  it('runs a DaemonSet, and a StatefulSet whose pods end one after the other, with grace', async () => {
    const lifecycle = { preStop: { exec: { command: ['sh', '-c', 'echo asked to stop > /proc/1/fd/1'] } } };
    const template = podTemplate('db', `echo a > /data/a; ${untilStopped()}`);
    const [main] = (template.spec as { containers: object[] }).containers;
    const spec = {
      ...template.spec,
      containers: [{ ...main, lifecycle, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', emptyDir: {} }],
    };
    await cluster.apply(
      workload('DaemonSet', 'agent'),
      workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db' }, { ...template, spec }),
    );
    await rollOut('daemonset/agent');
    await rollOut('statefulset/db');
    expect((await podsOf('db')).map(({ metadata }) => metadata?.name)).toEqual(['db-0', 'db-1']);
    await cluster.kubectl(['scale', 'statefulset/db', '--replicas=0']);
    await gone('db');
    const { items } = (await cluster.get<{ items: readonly Event[] }>(
      'events',
      '--field-selector',
      'reason=Killing,involvedObject.namespace=default',
    ))!;
    const killed = items.filter(({ involvedObject }) => involvedObject?.name?.startsWith('db-') === true);
    expect(killed.map(({ involvedObject }) => involvedObject?.name)).toEqual(expect.arrayContaining(['db-0', 'db-1']));
    // A container that was killed reports 137; these ended by themselves.
    expect(killed.map(({ message }) => message)).toEqual(killed.map(() => 'Stopping container main'));
    await cluster.kubectl(['delete', 'daemonset/agent', 'statefulset/db']);
    await gone('agent');
  });

  it('is drained and used again', async () => {
    await cluster.apply(workload('Deployment', 'moved', { replicas: 2 }));
    await rollOut('deployment/moved');
    await cluster.kubectl(['drain', 'node1', '--ignore-daemonsets', '--force', '--delete-emptydir-data', WAIT]);
    expect((await podsOf('moved')).map(({ status }) => status?.phase)).toEqual(['Pending', 'Pending']);
    expect(await cluster.containers('app=moved')).toEqual([]);
    await cluster.kubectl(['uncordon', 'node1']);
    await rollOut('deployment/moved');
    await cluster.kubectl(['delete', 'deployment/moved']);
    await gone('moved');
  });

  it('runs a CronJob when its time has come', async () => {
    await cluster.eventually(
      'a pod of the CronJob has succeeded',
      async () => {
        const [ticked] = await podsOf('ticks');
        return ticked?.status?.phase === 'Succeeded';
      },
      90_000,
    );
  });
});
