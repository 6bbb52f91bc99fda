import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import type { Pod } from '@rxlet/kube-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterNode, startClusterNode } from './test-support/cluster-node.ts';
import { shell, untilStopped } from './test-support/containerd-node.ts';
import { controlPlaneUnavailable } from '@rxlet/test-containerd/control-plane';
import { pod, workload } from './test-support/workloads.ts';

const unavailable = controlPlaneUnavailable() ?? containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const WAIT = '--timeout=60s';

describe.skipIf(unavailable !== undefined)('pods of a Kubernetes control plane', () => {
  let cluster: ClusterNode;

  beforeAll(async () => {
    cluster = await startClusterNode();
    await cluster.eventually('the node is ready', () => cluster.readyNode());
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const ready = (name: string): Promise<string> =>
    cluster.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, WAIT]);
  const gone = (name: string): Promise<unknown> =>
    cluster.eventually(`the pod ${name} is gone`, async () => (await cluster.pod(name)) === undefined);
  const manifest = (name: string): string => join(cluster.folders.manifests, `${name}.yaml`);

  it('get changes of ConfigMaps, Secrets and labels while they run, and tokens of their service account', async () => {
    const data = (kind: string, value: string): object => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'settings' },
      ...(kind === 'Secret' ? { stringData: { key: value } } : { data: { key: value } }),
    });
    const fieldRef = { fieldPath: "metadata.labels['key']" };
    const volumes = [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'secret', secret: { secretName: 'settings' } },
      { name: 'about', downwardAPI: { items: [{ path: 'key', fieldRef }] } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/v/${name}` }));
    const containers = [{ name: 'main', ...shell(untilStopped()), volumeMounts }];
    await cluster.apply(data('ConfigMap', '1'), data('Secret', '1'), pod('follower', '', { containers, volumes }));
    await cluster.kubectl(['label', 'pod', 'follower', 'key=1']);
    await ready('follower');
    const token = await cluster.inside('follower', 'main', 'cat /run/secrets/kubernetes.io/serviceaccount/token');
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const reviewed = await cluster.kubectl(['create', '-f', '-', '-o', 'json'], JSON.stringify(review));
    expect(JSON.parse(reviewed)).toMatchObject({
      status: { authenticated: true, user: { username: 'system:serviceaccount:default:default' } },
    });
    await cluster.apply(data('ConfigMap', '2'), data('Secret', '2'));
    await cluster.kubectl(['label', '--overwrite', 'pod', 'follower', 'key=2']);
    await cluster.eventually(
      'the changes arrive',
      async () => (await cluster.inside('follower', 'main', 'cat /v/*/key')) === '222',
    );
    expect((await cluster.pod('follower'))?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('show a static pod as a mirror pod, whose deletion does not end it', async () => {
    await writeFile(manifest('static'), JSON.stringify(pod('static')));
    const mirror = (): Promise<Pod | undefined> => cluster.pod('static-node1');
    const running = (uid?: string): Promise<Pod> =>
      cluster.eventually('the mirror pod runs', async () => {
        const found = await mirror();
        return found?.status?.phase === 'Running' && found.metadata?.uid !== uid ? found : undefined;
      });
    const first = await running();
    expect(first.metadata?.annotations).toMatchObject({ 'kubernetes.io/config.source': 'file' });
    expect(first.metadata?.ownerReferences).toMatchObject([{ kind: 'Node', name: 'node1', controller: true }]);
    await cluster.kubectl(['delete', 'pod', 'static-node1', '--wait=false']);
    const second = await running(first.metadata?.uid);
    const containerOf = ({ status }: Pod): string | undefined => status?.containerStatuses?.[0]?.containerID;
    expect(containerOf(second)).toBe(containerOf(first));
    await rm(manifest('static'));
    await gone('static-node1');
  });

  it('take ephemeral containers and other resources while they run', async () => {
    const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
    await cluster.apply(pod('changed', '', { containers: [{ name: 'main', ...shell(untilStopped()), resources }] }));
    await ready('changed');
    const { image } = shell('');
    await cluster.kubectl(['debug', 'changed', `--image=${image}`, '-c', 'debug', '-q', '--', 'sh', '-c', 'exit 3']);
    await cluster.eventually('the ephemeral container has ended', async () => {
      const [status] = (await cluster.pod('changed'))?.status?.ephemeralContainerStatuses ?? [];
      return status?.state?.terminated?.exitCode === 3;
    });
    const patch = { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '300m' } } }] } };
    await cluster.kubectl(['patch', 'pod', 'changed', '--subresource', 'resize', '-p', JSON.stringify(patch)]);
    const [main] = (
      await cluster.eventually('the new limit is in effect', async () => {
        const found = (await cluster.pod('changed'))?.status;
        return found?.containerStatuses?.[0]?.resources?.limits?.['cpu'] === '300m' ? found : undefined;
      })
    ).containerStatuses!;
    expect(main).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '100m' } } });
    expect(await cluster.inside('changed', 'main', 'cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us')).toBe('30000\n');
  });

  it('end within their grace period, and keep a finalizer', async () => {
    await cluster.apply(pod('held', untilStopped(1, 5)));
    await ready('held');
    await cluster.kubectl(['patch', 'pod', 'held', '-p', '{"metadata":{"finalizers":["example.com/held"]}}']);
    await cluster.kubectl(['delete', 'pod', 'held', '--wait=false']);
    const ended = await cluster.eventually('it has ended', async () => {
      const found = await cluster.pod('held');
      return found?.status?.phase === 'Failed' ? found : undefined;
    });
    expect(ended.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(5);
    await cluster.kubectl(['patch', 'pod', 'held', '-p', '{"metadata":{"finalizers":null}}']);
    await gone('held');
  });

  it('make way for more important ones, and for taints', async () => {
    const cpus = Number((await cluster.readyNode())?.status?.allocatable?.['cpu']);
    const resources = { requests: { cpu: `${String(cpus * 600)}m` } };
    const large = (name: string, spec: object = {}): object =>
      pod(name, '', { containers: [{ name: 'main', ...shell(untilStopped()), resources }], ...spec });
    const important = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'important' } };
    await cluster.apply(large('low'), { ...important, value: 1000 });
    await ready('low');
    await cluster.apply(large('high', { priorityClassName: 'important' }));
    await ready('high');
    expect(await cluster.pod('low')).toBeUndefined();
    await cluster.kubectl(['taint', 'node', 'node1', 'out=of-service:NoExecute']);
    await gone('high');
    await cluster.kubectl(['taint', 'node', 'node1', 'out-']);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('run on while the agent is restarted after a %s', async (signal) => {
    await cluster.apply(workload('Deployment', 'kept', { replicas: 5 }));
    await cluster.kubectl(['rollout', 'status', 'deployment/kept', WAIT]);
    const before = await cluster.containers('app=kept');
    const statuses = async (): Promise<unknown> =>
      (await cluster.list<Pod>('pods', '-l', 'app=kept')).map(({ metadata, status }) => [metadata?.name, status]);
    const statusesBefore = await statuses();
    await cluster.end(signal);
    await cluster.apply(workload('Deployment', 'kept', { replicas: 6 }), pod(`new-${signal.toLowerCase()}`));
    cluster.startAgain();
    await cluster.kubectl(['rollout', 'status', 'deployment/kept', WAIT]);
    await ready(`new-${signal.toLowerCase()}`);
    expect(await cluster.containers('app=kept')).toEqual(expect.arrayContaining([...before]));
    expect(await statuses()).toEqual(expect.arrayContaining(statusesBefore as unknown[]));
    await cluster.kubectl(['delete', 'deployment/kept']);
  });

  it('run on while the API server is away, and nothing is lost', async () => {
    const onFailure = { restartPolicy: 'OnFailure' };
    await cluster.apply(
      workload('Deployment', 'steady', { replicas: 3 }),
      pod('ends', 'while ! [ -e /tmp/end ]; do sleep 0.1; done', onFailure),
    );
    await cluster.kubectl(['rollout', 'status', 'deployment/steady', WAIT]);
    await ready('ends');
    const before = await cluster.containers('app=steady');
    await cluster.controlPlane.stopApiServer();
    await cluster.inside('ends', 'main', 'touch /tmp/end');
    await writeFile(manifest('offline'), JSON.stringify(pod('offline')));
    await cluster.eventually('the static pod runs without the API server', async () =>
      (await cluster.agent.pods()).some(
        ({ metadata, status }) => metadata?.name === 'offline-node1' && status?.phase === 'Running',
      ),
    );
    await cluster.eventually('the pod has ended', async () =>
      (await cluster.agent.pods()).some(
        ({ metadata, status }) => metadata?.name === 'ends' && status?.phase === 'Succeeded',
      ),
    );
    await cluster.controlPlane.startApiServer();
    const phaseOf = async (name: string): Promise<string | undefined> => (await cluster.pod(name))?.status?.phase;
    await cluster.eventually('the end is reported', async () => (await phaseOf('ends')) === 'Succeeded', 90_000);
    await cluster.eventually(
      'the static pod has its mirror',
      async () => (await phaseOf('offline-node1')) === 'Running',
      90_000,
    );
    await cluster.kubectl(['scale', 'deployment/steady', '--replicas=4']);
    await cluster.kubectl(['rollout', 'status', 'deployment/steady', WAIT]);
    expect(await cluster.containers('app=steady')).toEqual(expect.arrayContaining([...before]));
    await rm(manifest('offline'));
    await gone('offline-node1');
  });
});
