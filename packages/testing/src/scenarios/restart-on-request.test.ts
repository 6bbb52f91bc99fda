import { httpEndpoints } from '@rxlet/agent-api/http';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

const main = { name: 'app', image: 'registry.example/app:1', command: ['serve'] };
const proxy = { name: 'proxy', image: 'registry.example/proxy:1', command: ['serve'] };

async function startNode(spec: Parameters<typeof manifestPod>[1]): Promise<TestNode> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  await node.start();
  node.desire(manifestPod('web', spec));
  await node.advance(5_000);
  return node;
}

/** Requests a restart as `rxlet restart` does. */
async function restart(node: TestNode, container?: string): Promise<unknown> {
  const endpoint = node
    .agent()
    .contributions(httpEndpoints)
    .find(({ path }) => path === 'restart')!;
  const parameters = new URLSearchParams(container === undefined ? {} : { container });
  const { signal } = new AbortController();
  const answer = await endpoint.handle({
    method: 'POST',
    segments: ['default', 'web'],
    parameters,
    headers: {},
    signal,
  });
  return JSON.parse(answer.body as string);
}

const statusOf = (node: TestNode) => node.agent().pods.list()[0]?.status;

describe('a restart on request', () => {
  it('replaces one container, and leaves the others and the sandbox alone', async () => {
    const node = await startNode({ containers: [main, proxy], restartPolicy: 'Never' });
    const [app] = node.instances('web', 'app');
    const [other] = node.instances('web', 'proxy');
    const { sandboxes } = node.fake.snapshot();
    expect(await restart(node, 'app')).toEqual({ containers: ['app'] });
    await node.advance(5_000);
    expect(node.running()).toEqual(['web/app', 'web/proxy']);
    expect(node.instances('web', 'app').map(({ id }) => id)).not.toContain(app!.id);
    expect(node.instances('web', 'proxy').map(({ id }) => id)).toEqual([other!.id]);
    expect(node.fake.snapshot().sandboxes).toEqual(sandboxes);
    const statuses = statusOf(node)?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]);
    expect(statuses).toEqual([
      ['app', 1],
      ['proxy', 0],
    ]);
    expect(statusOf(node)?.phase).toBe('Running');
  });

  it('replaces all containers, and runs the init containers again', async () => {
    const init = { name: 'init', image: 'registry.example/init:1', command: ['true'] };
    const node = await startNode({ initContainers: [init], containers: [main, proxy] });
    const ids = () => ['init', 'app', 'proxy'].flatMap((name) => node.instances('web', name)).map(({ id }) => id);
    const before = ids();
    expect(before).toHaveLength(3);
    await restart(node);
    await node.advance(10_000);
    expect(node.running()).toEqual(['web/app', 'web/proxy']);
    expect(ids().filter((id) => before.includes(id))).toEqual([]);
    expect(ids()).toHaveLength(3);
  });

  describe('in a pod whose rules restart all containers (KEP-5532)', () => {
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }] as const;
    const ruled = { ...main, restartPolicy: 'Never', restartPolicyRules: rules } as const;

    it('replaces one container, and leaves the others alone', async () => {
      const node = await startNode({ containers: [ruled, proxy] });
      const [app] = node.instances('web', 'app');
      const [other] = node.instances('web', 'proxy');
      await restart(node, 'proxy');
      await node.advance(5_000);
      expect(node.running()).toEqual(['web/app', 'web/proxy']);
      expect(node.instances('web', 'proxy').map(({ id }) => id)).not.toContain(other!.id);
      expect(node.instances('web', 'app').map(({ id }) => id)).toEqual([app!.id]);
    });

    it('starts each container once after its init containers', async () => {
      const init = { name: 'init', image: 'registry.example/init:1', command: ['sleep', '3'] };
      const node = await startNode({ initContainers: [init], containers: [ruled, proxy] });
      await restart(node);
      await node.advance(60_000);
      expect(node.running()).toEqual(['web/app', 'web/proxy']);
      expect(['init', 'app', 'proxy'].map((name) => node.startsMs('web', name).length)).toEqual([2, 2, 2]);
    });
  });

  it('ends the back-off of a container that keeps exiting', async () => {
    const node = await startNode({ containers: [{ ...main, command: ['sh', '-c', 'exit 1'] }] });
    await node.advance(60_000);
    const starts = node.startsMs('web').length;
    await node.advance(1_000);
    expect(node.startsMs('web')).toHaveLength(starts);
    await restart(node, 'app');
    await node.advance(1_000);
    expect(node.startsMs('web')).toHaveLength(starts + 1);
  });

  it('stops the container with the grace period of its pod', async () => {
    const node = await startNode({
      containers: [{ ...main, command: ['sh', '-c', 'trap "" TERM; sleep 1000'] }],
      terminationGracePeriodSeconds: 20,
    });
    await restart(node);
    await node.advance(19_000);
    expect(node.startsMs('web')).toHaveLength(1);
    await node.advance(3_000);
    expect(node.startsMs('web')).toHaveLength(2);
  });

  it.each(['OnFailure', 'Never'] as const)(
    'makes a pod with policy %s unready while its init container cannot start again',
    async (restartPolicy) => {
      const init = { name: 'init', image: 'registry.example/init:1', command: ['true'] };
      const node = await startNode({ initContainers: [init], containers: [main], restartPolicy });
      const isReady = () => statusOf(node)?.conditions?.find(({ type }) => type === 'Ready')?.status;
      expect(isReady()).toBe('True');
      node.fake.setFailpoint('createContainer', 'error(internal: no disk)');
      await restart(node);
      await node.advance(5_000);
      expect(node.running()).toEqual([]);
      expect(isReady()).toBe('False');
      node.fake.clearFailpoints();
      await node.advance(600_000);
      expect(node.running()).toEqual(['web/app']);
      expect(isReady()).toBe('True');
    },
  );

  it('names what cannot be restarted', async () => {
    const init = { name: 'init', image: 'registry.example/init:1', command: ['true'] };
    const node = await startNode({ initContainers: [init], containers: [main] });
    await expect(restart(node, 'init')).rejects.toThrow('"init" is an init container: restart the whole pod');
    await expect(restart(node, 'none')).rejects.toThrow('pod "web" has no container "none"');
  });
});
