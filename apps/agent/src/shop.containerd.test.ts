import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, createAgent } from '@rxlet/agent';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { staticPods } from '@rxlet/pod-source';
import { ContainerState } from '@rxlet/cri-api';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestNode, hasRunningPods, mountsBelow } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const MANIFEST = join(import.meta.dirname, '../workloads/shop/shop.yaml');

describeOnEachRuntime('the pod template of a Deployment', {}, (startNode) => {
  let node: TestNode;
  let agent: Agent | undefined;
  let root: string;
  let manifests: string;

  const waitFor = <T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, probe, () => JSON.stringify(agent?.events.list().map(({ reason, message }) => [reason, message])));
  /** Runs a script in the running container of a name. */
  const run = async (container: string, script: string): Promise<string> => {
    const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
    const { containers } = await node.cri.runtime.listContainers({ filter });
    const containerId = containers.find(({ metadata }) => metadata?.name === container)?.id ?? '';
    const { stdout, stderr } = await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', script] });
    return new TextDecoder().decode(stdout).trimEnd() + new TextDecoder().decode(stderr);
  };

  beforeAll(async () => {
    node = await startNode();
    root = join(node.folder, 'kubelet');
    manifests = join(node.folder, 'manifests');
    await mkdir(manifests);
    await copyFile(MANIFEST, join(manifests, 'shop.yaml'));
    const { runtime, images } = node.cri;
    const podLogsDirectory = join(node.folder, 'logs');
    agent = await createAgent(
      {
        runtime,
        images,
        node: { ...(await readNodeFacts()), name: 'node1', rootDirectory: root, podLogsDirectory },
      },
      standalone([staticPods({ path: manifests, documents: true })]),
    );
    await agent.start();
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  it('becomes ready by its probes, and serves what the ConfigMap holds', async () => {
    await waitFor('the pod is ready', async () =>
      agent!.pods
        .list()
        .some(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')),
    );
    expect(await run('web', 'wget -q -O - http://127.0.0.1:8080/')).toBe('<h1>The shop is open</h1>');
  });

  it('has the environment, the Secret and the rights of its template', async () => {
    expect(await run('web', 'echo $LOG_LEVEL $MEMORY_LIMIT; cat /run/secrets/database/username; id -u; id -g')).toBe(
      'info 67108864\nshop10001\n10001',
    );
    expect(await run('web', 'touch /here 2>&1 || touch /www/here 2>&1 || echo; touch /logs/here && echo ok')).toMatch(
      /Read-only file system[^]*Read-only file system[^]*ok$/,
    );
    expect(await run('access-log', 'cat /logs/access.log')).toContain('response:200');
  });

  it('is gone with its manifest', async () => {
    await rm(join(manifests, 'shop.yaml'));
    await waitFor('nothing runs', async () => !(await hasRunningPods(node.cri)));
    await waitFor('nothing is mounted', async () => (await mountsBelow(root)).length === 0);
  });
});
