import { staticPods } from '@rxlet/pod-source';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

const nodes: TestNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node[Symbol.asyncDispose]();
});

const secret = (password: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: ${password}}\n`;
const pod = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: app
    image: app:1
    env:
    - name: PASSWORD
      valueFrom: {secretKeyRef: {name: db, key: password}}
    volumeMounts: [{name: db, mountPath: /db}]
  volumes:
  - name: db
    secret: {secretName: db}
`;

async function startAgent(node: TestNode): Promise<void> {
  const folder = staticPods({ path: '/manifests', documents: true });
  await node.start({ modules: [folder], without: ['pods-from-file'] });
}

async function startNode(): Promise<TestNode> {
  const node = createTestNode();
  nodes.push(node);
  node.files.put('/manifests/web.yaml', pod);
  node.files.put('/manifests/secrets.yaml', secret('first'));
  await startAgent(node);
  await node.until(() => node.running().length === 1);
  return node;
}

/** Returns the path of the mounted Secret on the node. */
function volumeOf(node: TestNode): string {
  const [container] = node.instances('web-node1');
  return container!.mounts.find(({ containerPath }) => containerPath === '/db')!.hostPath;
}

describe('a Secret in the manifest folder', () => {
  it('reaches the environment and the volumes of a static pod, and an edited one its volumes', async () => {
    // Without the value for its environment, the container would not start.
    const node = await startNode();
    expect(node.files.text(`${volumeOf(node)}/password`)).toBe('first');
    node.files.put('/manifests/secrets.yaml', secret('second'));
    await node.until(() => node.files.text(`${volumeOf(node)}/password`) === 'second', 5000);
    expect(node.instances('web-node1')).toHaveLength(1);
  });

  it('is found again after a restart of the agent, which restarts no container', async () => {
    const node = await startNode();
    await node.kill();
    await startAgent(node);
    await node.advance(5000);
    expect(node.running()).toEqual(['web-node1/app']);
    expect(node.instances('web-node1')).toHaveLength(1);
  });
});
