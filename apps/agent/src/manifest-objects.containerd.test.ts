import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, createAgent } from '@rxlet/agent';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { staticPods } from '@rxlet/pod-source';
import { ContainerState } from '@rxlet/cri-api';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestNode, hasRunningPods, mountsBelow, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const objects = (password: string): string => `apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {PASSWORD: ${password}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: info}
`;
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { tier: 'front' } },
  spec: {
    terminationGracePeriodSeconds: 1,
    hostname: 'web-host',
    hostAliases: [{ ip: '192.0.2.7', hostnames: ['db.example'] }],
    containers: [
      {
        name: 'app',
        ...shell(untilStopped()),
        envFrom: [{ secretRef: { name: 'db' } }, { prefix: 'S_', configMapRef: { name: 'settings' } }],
        env: [
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
          { name: 'TIER', valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'URL', value: 'db://$(PASSWORD)@$(TIER)' },
        ],
        resources: { limits: { memory: '64Mi' } },
        volumeMounts: [
          { name: 'db', mountPath: '/db' },
          { name: 'scratch', mountPath: '/scratch', subPathExpr: 'of/$(TIER)' },
        ],
      },
    ],
    volumes: [
      { name: 'db', secret: { secretName: 'db' } },
      { name: 'scratch', emptyDir: {} },
    ],
  },
};

describeOnEachRuntime('ConfigMaps and Secrets of a manifest folder', {}, (startNode) => {
  let node: TestNode;
  let agent: Agent | undefined;
  let root: string;
  let manifests: string;

  const place = async (name: string, text: string): Promise<void> => {
    await writeFile(join(node.folder, name), text);
    await rename(join(node.folder, name), join(manifests, name));
  };
  const waitFor = <T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, probe, () => JSON.stringify(agent?.events.list().map(({ reason, message }) => [reason, message])));
  const run = async (containerId: string, script: string): Promise<string> => {
    const { stdout, stderr } = await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', script] });
    return new TextDecoder().decode(stdout).trimEnd() + new TextDecoder().decode(stderr);
  };

  beforeAll(async () => {
    node = await startNode();
    root = join(node.folder, 'kubelet');
    manifests = join(node.folder, 'manifests');
    await mkdir(manifests);
    const { runtime, images } = node.cri;
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
      standalone([staticPods({ path: manifests, documents: true })]),
    );
    await agent.start();
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  it('shows ConfigMaps and Secrets in the container and updates them after an edit', async () => {
    await place('web.json', JSON.stringify(pod));
    await waitFor('the problem of the missing Secret', async () =>
      agent!.sourceProblems.value.some(({ message }) => message.includes('Secret default/db')),
    );
    await place('objects.yaml', objects('first'));
    const { id } = await waitFor('web runs', async () => {
      const { containers } = await node.cri.runtime.listContainers({});
      return containers.find(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    });
    expect(await run(id, 'echo $PASSWORD $S_level $LEVEL $TIER $URL')).toBe('first info info front db://first@front');
    const hosts = await run(id, 'echo $IP; hostname; cat /etc/hosts');
    const [ip] = hosts.split('\n');
    expect(hosts).toContain(`${ip!}\nweb-host\n# Kubernetes-managed hosts file.`);
    expect(hosts).toContain(`${ip!}\tweb-host\n\n# Entries added by HostAliases.\n192.0.2.7\tdb.example`);
    expect(await run(id, 'cat /db/PASSWORD; touch /scratch/here && ls /scratch')).toBe('firsthere');

    await place('objects.yaml', objects('second'));
    await waitFor('the edited Secret', async () => (await run(id, 'cat /db/PASSWORD')) === 'second');
    const { containers } = await node.cri.runtime.listContainers({});
    expect(containers.map((container) => container.id)).toEqual([id]);
  });

  it('removes ConfigMaps and Secrets with the pod', async () => {
    await rm(join(manifests, 'web.json'));
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)));
    await waitFor('nothing is mounted', async () => (await mountsBelow(root)).length === 0);
  });
});
