import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@rxlet/cri-api';
import type { CriClient } from '@rxlet/cri-client';
import { podUid } from '@rxlet/pod-model';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { eventually } from '@rxlet/test-containerd/eventually';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { hasRunningPods, removeDeadPods, type TestNode } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const GARBAGE_COLLECTION_MS = 60_000;

describeOnEachRuntime('rxlet', {}, (startNode) => {
  let node: TestNode;
  let cri: CriClient;
  let folders: AgentFolders;
  let agents: AgentProcess[];
  let test = 0;

  beforeAll(async () => {
    node = await startNode();
    ({ cri } = node);
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    test += 1;
    folders = await makeAgentFolders(join(node.folder, String(test)));
    agents = [];
  });
  afterEach(async () => {
    // An agent terminates the pods of removed manifests.
    for (const name of await readdir(folders.manifests)) await rm(join(folders.manifests, name));
    if (agents.length === 0) return;
    for (const agent of agents) await agent[Symbol.asyncDispose]();
    {
      await using last = start();
      await eventually('nothing runs', async () => !(await hasRunningPods(cri)), last.output);
    }
    await removeDeadPods(cri);
  });

  const start = (): AgentProcess => {
    const agent = startAgent(folders, '--container-runtime-endpoint', node.endpoint);
    agents.push(agent);
    return agent;
  };
  const write = (name: string, spec: object): Promise<void> =>
    writeFile(
      join(folders.manifests, `${name}.yaml`),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { terminationGracePeriodSeconds: 2, ...spec },
      }),
    );
  const remove = (name: string): Promise<void> => rm(join(folders.manifests, `${name}.yaml`));
  const sandboxes = async (): Promise<PodSandbox[]> => (await cri.runtime.listPodSandbox({})).items;
  const containers = async (name?: string): Promise<Container[]> => {
    const filter = name === undefined ? {} : { labelSelector: { 'io.kubernetes.container.name': name } };
    return (await cri.runtime.listContainers({ filter })).containers.toSorted((left, right) =>
      Number(right.createdAt - left.createdAt),
    );
  };
  const running = async (name: string): Promise<Container | undefined> =>
    (await containers(name)).find(({ state }) => state === ContainerState.CONTAINER_RUNNING);
  const shell = (script: string): { image: string; command: string[] } => ({
    image: BUSYBOX_REFERENCE,
    command: ['sh', '-c', script],
  });
  /** Script that runs until SIGTERM, and then ends at once. */
  const untilStopped = "trap 'exit 0' TERM; echo up; while :; do sleep 0.1; done";

  it('runs init containers in order, then the containers, with an IP and logs', async () => {
    const agent = start();
    await write('web', {
      initContainers: [
        { name: 'first', ...shell('echo one; sleep 0.3') },
        { name: 'second', ...shell('echo two') },
      ],
      containers: [
        {
          name: 'main',
          ...shell(`echo hello from $NAME at $(hostname); ${untilStopped}`),
          env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
        { name: 'side', ...shell(untilStopped), resources: { requests: { cpu: '50m' }, limits: { memory: '64Mi' } } },
      ],
    });
    const pod = await eventually(
      'the pod is Ready',
      async () => {
        const [found] = await agent.pods();
        return found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
          ? found
          : undefined;
      },
      agent.output,
    );
    expect(pod.status?.phase).toBe('Running');

    // What the runtime itself says.
    const [sandbox] = await sandboxes();
    expect(sandbox).toMatchObject({
      metadata: { name: 'web-node1', namespace: 'default', uid: pod.metadata?.uid, attempt: 0 },
      state: PodSandboxState.SANDBOX_READY,
      labels: { 'io.kubernetes.pod.name': 'web-node1', 'io.kubernetes.pod.namespace': 'default' },
    });
    const { status: network } = await cri.runtime.podSandboxStatus({ podSandboxId: sandbox!.id });
    expect(network?.network?.ip).toBe(pod.status?.podIP);
    expect(network?.network?.ip).toMatch(/^10\./);
    const times = await Promise.all(
      ['first', 'second', 'main'].map(async (name) => {
        const { status } = await cri.runtime.containerStatus({ containerId: (await containers(name))[0]!.id });
        return { began: status!.startedAt, ended: status!.finishedAt };
      }),
    );
    expect(times[0]!.ended).toBeLessThanOrEqual(times[1]!.began);
    expect(times[1]!.ended).toBeLessThanOrEqual(times[2]!.began);
    const { status: side } = await cri.runtime.containerStatus({ containerId: (await running('side'))!.id });
    expect(side?.labels).toMatchObject({
      'io.kubernetes.container.name': 'side',
      'io.kubernetes.pod.uid': pod.metadata?.uid,
    });
    expect(side?.annotations['io.kubernetes.container.hash']).toMatch(/^[0-9a-f]{1,8}$/);

    expect(await agent.command('logs', 'web', '-c', 'main')).toMatchObject({
      stdout: 'hello from web-node1 at web-node1\nup\n',
      exitCode: 0,
    });
    expect(await agent.command('logs', 'web', '-c', 'second')).toMatchObject({ stdout: 'two\n' });
    const logFile = join(folders.podLogs, `default_web-node1_${podUid(pod)}`, 'main', '0.log');
    expect(await readFile(logFile, 'utf8')).toContain('stdout F hello from web-node1');
  });

  it('restarts a crashing container, later each time', async () => {
    const agent = start();
    await write('crash', { containers: [{ name: 'main', ...shell('echo attempt; exit 3') }] });
    const waiting = await eventually(
      'the container waits in back-off',
      async () => {
        const state = (await agent.pods())[0]?.status?.containerStatuses?.[0];
        return state?.state?.waiting?.reason === 'CrashLoopBackOff' && state.restartCount === 1 ? state : undefined;
      },
      agent.output,
    );
    expect(waiting.state?.waiting?.message).toMatch(
      /^back-off 10s restarting failed container=main pod=crash-node1_default/,
    );
    expect(waiting.lastState?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    const third = await eventually(
      'the third attempt',
      async () => (await containers('main')).find(({ metadata }) => metadata?.attempt === 2),
      agent.output,
    );
    const { status: second } = await cri.runtime
      .containerStatus({
        containerId: (await containers('main')).find(({ metadata }) => metadata?.attempt === 1)?.id ?? '',
      })
      .catch(() => ({ status: undefined }));
    if (second !== undefined) expect(Number(third.createdAt - second.finishedAt) / 1e9).toBeGreaterThanOrEqual(10);
    expect(await agent.events()).toContainEqual(expect.objectContaining({ reason: 'BackOff', type: 'Warning' }));
    // Only the newest dead instance is kept.
    await eventually('the older instances are removed', async () => (await containers('main')).length <= 2);
  });

  it('reports why an image cannot be had, and runs the other pods', async () => {
    const agent = start();
    await write('bad', { containers: [{ name: 'main', image: 'registry.invalid/missing:1' }] });
    await write('never', {
      containers: [{ name: 'main', image: 'registry.invalid/missing:1', imagePullPolicy: 'Never' }],
    });
    await write('good', { containers: [{ name: 'good', ...shell(untilStopped) }] });
    const reason = async (name: string): Promise<string | undefined> =>
      (await agent.pods()).find(({ metadata }) => metadata?.name === `${name}-node1`)?.status?.containerStatuses?.[0]
        ?.state?.waiting?.reason;
    await eventually(
      'ErrImagePull',
      async () => /^(ErrImagePull|ImagePullBackOff)$/.test((await reason('bad')) ?? ''),
      agent.output,
    );
    await eventually('ErrImageNeverPull', async () => (await reason('never')) === 'ErrImageNeverPull', agent.output);
    await eventually('ImagePullBackOff', async () => (await reason('bad')) === 'ImagePullBackOff', agent.output);
    await eventually('the good pod runs', () => running('good'), agent.output);
  });

  it('removes everything when the file goes, and replaces the pod when it changes', async () => {
    const agent = start();
    await write('app', { containers: [{ name: 'main', ...shell(`echo v1; ${untilStopped}`) }] });
    const first = await eventually('version 1 runs', () => running('main'), agent.output);
    await write('app', { containers: [{ name: 'main', ...shell(`echo v2; ${untilStopped}`) }] });
    const second = await eventually(
      'version 2 runs alone',
      async () => {
        const all = await containers('main');
        return all.length === 1 && all[0]!.id !== first.id && all[0]!.state === ContainerState.CONTAINER_RUNNING
          ? all[0]
          : undefined;
      },
      agent.output,
    );
    expect(await sandboxes()).toHaveLength(1);
    await eventually('the log of version 2', async () => (await agent.command('logs', 'app')).stdout.includes('v2'));
    expect(second.labels['io.kubernetes.pod.uid']).not.toBe(first.labels['io.kubernetes.pod.uid']);

    await remove('app');
    await eventually(
      'nothing is left in the runtime',
      async () => (await sandboxes()).length === 0 && (await containers()).length === 0,
      agent.output,
    );
    await eventually(
      'nothing is left on disk',
      async () =>
        (await readdir(folders.podLogs)).length === 0 && (await readdir(join(folders.root, 'pods'))).length === 0,
    );
    await eventually('the agent has forgotten it', async () => (await agent.pods()).length === 0);
  });

  it('completes a pod that does not restart, and keeps its log and its last words', async () => {
    const agent = start();
    await write('job', {
      restartPolicy: 'OnFailure',
      containers: [{ name: 'main', ...shell('echo done; echo bye > /dev/termination-log') }],
    });
    await eventually(
      'the pod has succeeded',
      async () => (await agent.pods())[0]?.status?.phase === 'Succeeded',
      agent.output,
    );
    const [job] = await agent.pods();
    expect(job?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
      message: 'bye\n',
    });
    expect(await agent.command('logs', 'job')).toMatchObject({ stdout: 'done\n' });
    await remove('job');
    await eventually(
      'nothing is left',
      async () => (await sandboxes()).length === 0 && (await containers()).length === 0,
      agent.output,
      // As in the kubelet, the garbage collection removes a pod that had ended before it was deleted.
      GARBAGE_COLLECTION_MS + 10_000,
    );
  });

  it('gives a pod the host network', async () => {
    const agent = start();
    await write('host', { hostNetwork: true, containers: [{ name: 'main', ...shell(untilStopped) }] });
    await eventually('it runs', () => running('main'), agent.output);
    const pod = await eventually(
      'it has the address of the node',
      async () => (await agent.pods()).find(({ status }) => status?.podIP !== undefined),
      agent.output,
    );
    expect(pod.status?.podIP).toBe(pod.status?.hostIP);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'adopts what runs after a %s, and neither restarts, doubles nor leaves anything',
    async (signal) => {
      const first = start();
      await write('a', {
        containers: [
          { name: 'a', ...shell(untilStopped) },
          { name: 'crashed', ...shell('sleep 0.2; exit 1') },
        ],
      });
      await write('gone', { containers: [{ name: 'gone', ...shell(untilStopped) }] });
      await write('changed', { containers: [{ name: 'changed', ...shell(`echo v1; ${untilStopped}`) }] });
      const before = await eventually(
        'all run',
        async () => {
          const found = await Promise.all(['a', 'gone', 'changed'].map(running));
          return found.every((one) => one !== undefined) ? found : undefined;
        },
        first.output,
      );
      await first.end(signal);
      expect((await Promise.all(['a', 'gone', 'changed'].map(running))).map((one) => one?.id)).toEqual(
        before.map((one) => one?.id),
      );

      await remove('gone');
      await write('changed', { containers: [{ name: 'changed', ...shell(`echo v2; ${untilStopped}`) }] });
      await write('new', { containers: [{ name: 'new', ...shell(untilStopped) }] });
      const second = start();
      await eventually(
        'what vanished is removed',
        async () => (await sandboxes()).every(({ metadata }) => metadata?.name !== 'gone-node1'),
        second.output,
      );
      expect(await containers('gone')).toEqual([]);
      await eventually('what is new runs', () => running('new'), second.output);
      await eventually(
        'what changed is replaced',
        async () => {
          const all = await containers('changed');
          return all.length === 1 && all[0]!.id !== before[2]!.id && all[0]!.state === ContainerState.CONTAINER_RUNNING;
        },
        second.output,
      );
      expect((await containers('a')).map(({ id }) => id)).toEqual([before[0]!.id]);
      expect((await running('a'))?.id).toBe(before[0]!.id);
      expect((await sandboxes()).map(({ metadata }) => metadata?.name).sort()).toEqual([
        'a-node1',
        'changed-node1',
        'new-node1',
      ]);
      const crashed = await containers('crashed');
      expect(crashed.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING).length).toBeLessThanOrEqual(1);
      expect(new Set(crashed.map(({ metadata }) => metadata?.attempt)).size).toBe(crashed.length);
    },
  );

  it('goes on when the runtime was away', async () => {
    const agent = start();
    await write('app', { containers: [{ name: 'main', ...shell(untilStopped) }] });
    const before = await eventually('it runs', () => running('main'), agent.output);
    await node.restart();
    await write('later', { containers: [{ name: 'later', ...shell(untilStopped) }] });
    await eventually(
      'a pod that came meanwhile runs',
      () => running('later').catch(() => undefined),
      agent.output,
      60_000,
    );
    expect((await running('main'))?.id).toBe(before.id);
  });
});
