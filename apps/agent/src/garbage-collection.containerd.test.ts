import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { ContainerState } from '@rxlet/cri-api';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

/** A folder of logs that nothing in the runtime belongs to. */
const OLD_UID = '00000000-0000-0000-0000-000000000000';

describeOnEachRuntime('what is left', {}, (startNode) => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(() => node?.[Symbol.asyncDispose]());

  it('is what runs, the newest dead instance of each container, and nothing of pods that are gone', async () => {
    const { cri } = node;
    await using agent = await node.agent({ crashLoopBackOff: { maxContainerRestartPeriod: '1s' } });
    const { folders } = agent;
    await agent.write('web', { containers: [{ name: 'main', ...shell(untilStopped()) }] });
    await agent.write('crash', { containers: [{ name: 'main', ...shell('exit 1') }] });
    for (const job of ['job', 'gone'])
      await agent.write(job, { restartPolicy: 'Never', containers: [{ name: 'main', ...shell('echo done') }] });
    await agent.eventually('web runs', () => agent.running('web', 'main'));

    // A sandbox dies, and is replaced by another.
    const firstSandboxes = new Map<string, string>();
    for (const pod of ['web', 'crash']) {
      const [sandbox] = await agent.eventually(`the sandbox of ${pod}`, async () => {
        const found = await agent.sandboxes(pod);
        return found.length === 1 && found;
      });
      firstSandboxes.set(pod, sandbox!.id);
      await cri.runtime.stopPodSandbox({ podSandboxId: sandbox!.id });
    }
    const web = await agent.eventually('web runs in a new sandbox', async () => {
      const found = await agent.running('web', 'main');
      return found !== undefined && found.podSandboxId !== firstSandboxes.get('web') && found;
    });

    // A crash loop leaves one dead instance also without a garbage collection. Its pauses are bounded by the configuration.
    const instances = new Map<number, string>();
    await agent.eventually('the container crashes on', async () => {
      const all = await agent.containers('crash', 'main');
      for (const { id, metadata, state, podSandboxId } of all)
        if (state === ContainerState.CONTAINER_EXITED && podSandboxId !== firstSandboxes.get('crash'))
          instances.set(metadata!.attempt, id);
      return instances.size >= 4;
    });
    expect((await agent.status('crash', 'main'))?.state?.waiting?.message ?? 'back-off 1s').toMatch(/^back-off 1s/);
    const times = new Map<number, { startedNs: bigint; endedNs: bigint }>();
    for (const [attempt, id] of instances) times.set(attempt, await node.events.timesOf(id));
    const pauses = [...times].flatMap(([attempt, { startedNs }]) => {
      const previous = times.get(attempt - 1);
      return previous === undefined ? [] : [startedNs - previous.endedNs];
    });
    expect(pauses.length).toBeGreaterThan(1);
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(1_000_000_000n);

    const uidOf = async (pod: string): Promise<string> =>
      agent.eventually(`${pod} is done`, async () => {
        const found = await agent.pod(pod);
        return found?.status?.phase === 'Succeeded' && found.metadata?.uid;
      });
    const goneUid = await uidOf('gone');
    await uidOf('job');
    await agent.end('SIGTERM');

    // What piles up while no agent looks.
    await agent.remove('gone');
    await mkdir(join(folders.podLogs, `default_old_${OLD_UID}`, 'main'), { recursive: true });
    const { status: of } = await cri.runtime.containerStatus({ containerId: web.id });
    const sandbox = (await agent.sandboxes('web')).find(({ id }) => id === web.podSandboxId);
    for (const attempt of [101, 102]) {
      await cri.runtime.createContainer({
        podSandboxId: web.podSandboxId,
        sandboxConfig: { metadata: sandbox!.metadata! },
        config: {
          metadata: { name: 'main', attempt },
          image: { image: BUSYBOX_REFERENCE },
          labels: of!.labels,
          annotations: of!.annotations,
        },
      });
    }

    await using manager = createRuntimeManager(
      {
        runtime: cri.runtime,
        imageService: cri.images,
        images: { ensureImageExists: () => Promise.reject(new Error('not wanted')) },
        clock: systemClock,
        random: systemRandom,
        events: noopEventRecorder,
        files: createNodeFiles({ roots: [folders.root, folders.podLogs] }),
        hostFiles: createHostFiles(),
      },
      { node: { memoryCapacityBytes: 1_000_000_000n, rootDirectory: folders.root, podLogsDirectory: folders.podLogs } },
    );
    const result = await manager.collectGarbage({
      allSourcesReady: true,
      shouldContentBeRemoved: (uid) => [goneUid, OLD_UID].includes(uid),
    });
    expect(result.failures).toEqual([]);

    const left = await agent.containers('web', 'main');
    expect(left.map(({ metadata }) => metadata?.attempt)).toEqual([102, web.metadata?.attempt]);
    expect((await agent.running('web', 'main'))?.id).toBe(web.id);
    expect((await agent.sandboxes('web')).map(({ metadata }) => metadata?.attempt)).toEqual([1]);
    expect(await agent.containers('crash')).toHaveLength(1);
    expect((await agent.sandboxes('crash')).map(({ metadata }) => metadata?.attempt)).toEqual([1]);
    expect(await agent.containers('job')).toHaveLength(1);
    expect(await agent.sandboxes('job')).toHaveLength(1);
    expect(await agent.containers('gone')).toEqual([]);
    expect(await agent.sandboxes('gone')).toEqual([]);
    const logs = (await readdir(folders.podLogs)).map((name) => name.replace(/_[^_]*$/, '')).toSorted();
    expect(logs).toEqual(['default_crash-node1', 'default_job-node1', 'default_web-node1']);
    // A second time there is nothing to do.
    expect(await manager.collectGarbage({ allSourcesReady: true, shouldContentBeRemoved: () => false })).toMatchObject({
      containers: [],
      sandboxes: [],
      logDirectories: [],
      failures: [],
    });
  });
});
