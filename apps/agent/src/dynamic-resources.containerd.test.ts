import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createTestDraPlugin, type TestDraPlugin } from '@rxlet/dra-manager/testing';
import { createFakeKube, type FakeKube, nodeUser, serveFakeKube } from '@rxlet/fake-kube';
import type { Node, Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdMajorVersion, containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentFolders, type AgentProcess, makeAgentFolders, startAgent } from './test-support/agent-process.ts';
import { type ContainerdNode, hasRunningPods, shell, startContainerdNode } from './test-support/containerd-node.ts';

const GPU = 'gpu.example.com';
const NIC = 'nic.example.com';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

// containerd 1.6 ignores the CDI devices of containers.
const unavailable =
  containerdUnavailable() ??
  (containerdMajorVersion() < 2 ? 'containerd 1.6 ignores the CDI devices of containers' : undefined);
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('claims of pods on containerd', () => {
  let node: ContainerdNode;
  let kube: FakeKube;
  let server: Awaited<ReturnType<typeof serveFakeKube>>;
  let folders: AgentFolders;
  let agent: AgentProcess;
  /** Starts the agent, on a machine with another boot id if one is given. */
  let start: (bootId?: string) => Promise<AgentProcess>;
  let specs: string;
  const plugins = new Map<string, TestDraPlugin>();

  /** Starts the plugin of a driver, whose claims are CDI specifications with a device file and a variable. */
  const plug = async (driver: string): Promise<TestDraPlugin> => {
    const kind = `${driver}/device`;
    const specOf = (name: string): string => join(specs, `${driver}-${name}.json`);
    const plugin = createTestDraPlugin({
      driver,
      async prepare({ name }) {
        const containerEdits = {
          env: [`${driver.split('.')[0]!.toUpperCase()}=${name}`],
          deviceNodes: [{ path: `/dev/${driver}-${name}`, hostPath: '/dev/zero', permissions: 'r' }],
        };
        const spec = { cdiVersion: '0.5.0', kind, devices: [{ name, containerEdits }] };
        await writeFile(specOf(name), JSON.stringify(spec));
        return [{ poolName: 'pool', deviceName: name, requestNames: ['r'], cdiDeviceIds: [`${kind}=${name}`] }];
      },
      unprepare: ({ name }) => rm(specOf(name), { force: true }),
    });
    const socket = join(folders.root, 'plugins_registry', `${driver}.sock`);
    await mkdir(join(folders.root, 'plugins_registry'), { recursive: true });
    await rm(socket, { force: true });
    await plugin.listen(socket);
    plugins.set(driver, plugin);
    return plugin;
  };
  const unplug = async (driver: string): Promise<void> => {
    await rm(join(folders.root, 'plugins_registry', `${driver}.sock`));
    await plugins.get(driver)?.[Symbol.asyncDispose]();
  };
  const createClaim = (name: string, ...drivers: readonly string[]): void => {
    const results = drivers.map((driver) => ({ driver, request: 'r', pool: 'pool', device: name }));
    kube.objects.apply({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'default' },
      spec: {},
      status: { allocation: { devices: { results } } },
    });
  };
  const createPod = (name: string, ...claims: readonly string[]): void => {
    const container = {
      name: 'app',
      ...shell(`trap 'exit 0' TERM; while :; do sleep 0.1; done`),
      resources: { claims: claims.map((claim) => ({ name: claim })) },
    };
    const { metadata } = kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: 'node1',
        terminationGracePeriodSeconds: 2,
        containers: [container],
        resourceClaims: claims.map((claim) => ({ name: claim, resourceClaimName: claim })),
      },
    });
    for (const claim of claims) {
      const { status } = kube.objects.get(resources.resourceClaims, claim, 'default') as ResourceV1ResourceClaim;
      const reservedFor = [...(status?.reservedFor ?? []), { resource: 'pods', name, uid: metadata.uid }];
      kube.objects.merge(resources.resourceClaims, claim, 'default', { status: { reservedFor } }, 'status');
    }
  };
  const pod = (name: string): Pod | undefined => kube.objects.get(resources.pods, name, 'default') as Pod | undefined;
  const until = (what: string, probe: () => boolean): Promise<unknown> =>
    eventually(
      what,
      async () => probe(),
      () => agent.output(),
      60_000,
    );
  const untilRunning = async (name: string): Promise<string> => {
    await until(`${name} runs`, () => pod(name)?.status?.phase === 'Running');
    return pod(name)!.status!.containerStatuses![0]!.containerID!.replace('containerd://', '');
  };
  const remove = async (name: string): Promise<void> => {
    kube.objects.delete(resources.pods, name, 'default');
    await until(`${name} is gone`, () => pod(name) === undefined);
  };
  const run = async (containerId: string, script: string): Promise<string> => {
    const { stdout, stderr } = await node.cri.runtime.execSync({ containerId, cmd: ['sh', '-c', script] });
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  };
  const devices = 'cd /dev; ls | grep example';

  beforeAll(async () => {
    node = await startContainerdNode();
    specs = node.containerd.cdiDirectory;
    await mkdir(specs, { recursive: true });
    kube = createFakeKube({ clock: systemClock, random: systemRandom }, { authorization: 'node' });
    server = await serveFakeKube(kube);
    const folder = join(node.folder, 'node');
    await mkdir(folder);
    folders = await makeAgentFolders(folder);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await server.kubeconfig(nodeUser('node1')), { mode: 0o600 });
    const flags = ['--container-runtime-endpoint', node.endpoint, '--kubeconfig', kubeconfig];
    start = async (bootId) => {
      if (bootId === undefined) return startAgent(folders, ...flags);
      await writeFile(join(folder, 'boot-id'), `${bootId}\n`);
      // Mounts of the agent stay visible to the runtime, the one for the boot id does not.
      const script = `mount --make-private /proc && mount --bind ${join(folder, 'boot-id')} ${BOOT_ID} && exec "$@"`;
      const enter = ['unshare', '--mount', '--propagation', 'unchanged', 'sh', '-c', script, 'sh'];
      return startAgent({ ...folders, enter }, ...flags);
    };
    agent = await start();
    for (const driver of [GPU, NIC]) await plug(driver);
  });
  afterAll(async () => {
    for (const { metadata } of (kube?.objects.list(resources.pods) ?? []) as readonly Pod[])
      kube.objects.delete(resources.pods, metadata!.name!, 'default', 1);
    if (agent !== undefined) await until('the pods are gone', () => kube.objects.list(resources.pods).length === 0);
    if (node !== undefined)
      await eventually(
        'nothing runs',
        async () => !(await hasRunningPods(node.cri)),
        () => agent.output(),
      );
    await agent?.[Symbol.asyncDispose]();
    for (const plugin of plugins.values()) await plugin[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  it('give the devices of two drivers to containers, shared ones to several pods, over restarts of agent and plugin', async () => {
    createClaim('shared', GPU, NIC);
    createClaim('own', GPU);
    createPod('one', 'shared');
    createPod('two', 'shared', 'own');
    const one = await untilRunning('one');
    const two = await untilRunning('two');
    const look = `${devices}; echo $GPU $NIC; head -c 2 ${GPU}-shared | od -An -tx1`;
    expect(await run(one, look)).toBe(`${GPU}-shared\n${NIC}-shared\nshared shared\n 00 00\n`);
    expect(await run(two, devices)).toBe(`${GPU}-own\n${GPU}-shared\n${NIC}-shared\n`);
    // A device without a claim is not there.
    expect(await run(one, `test -e ${GPU}-own || echo none`)).toBe('none\n');

    await agent.end('SIGKILL');
    await unplug(GPU);
    agent = await start();
    await until('the agent reports again', () => pod('one')?.status?.phase === 'Running');
    const restarted = await plug(GPU);
    await remove('one');
    expect((await readdir(specs)).toSorted()).toEqual([`${GPU}-own.json`, `${GPU}-shared.json`, `${NIC}-shared.json`]);
    expect(await untilRunning('two')).toBe(two);
    await remove('two');
    expect(await readdir(specs)).toEqual([]);
    // The containers that ran were never prepared again.
    expect(restarted.calls.filter(({ method }) => method === 'NodePrepareResources')).toEqual([]);
    const state = JSON.parse(await readFile(join(folders.root, 'dra_manager_state'), 'utf8')) as { Data: string };
    expect(JSON.parse(state.Data)).toMatchObject({ ClaimInfoStateList: [] });
  });

  it('get prepared by the next agent when one was killed between preparation and start', async () => {
    const plugin = plugins.get(GPU)!;
    const hang = Promise.withResolvers<void>();
    plugin.fault = () => hang.promise;
    createClaim('late', GPU);
    createPod('killed', 'late');
    await until('the claim is being prepared', () => plugin.calls.at(-1)?.claims[0] === 'late');
    await agent.end('SIGKILL');
    hang.resolve();
    plugin.fault = undefined;
    agent = await start();
    expect(await run(await untilRunning('killed'), devices)).toBe(`${GPU}-late\n`);
    await remove('killed');
    expect(await readdir(specs)).toEqual([]);
  });

  it('get prepared again for the new containers after a restart of the node', async () => {
    createClaim('common', GPU, NIC);
    createPod('first', 'common');
    createPod('second', 'common');
    const before = [await untilRunning('first'), await untilRunning('second')];
    const bootId = (): string | undefined =>
      (kube.objects.get(resources.nodes, 'node1') as Node | undefined)?.status?.nodeInfo?.bootID;
    expect(bootId()).toBe((await readFile(BOOT_ID, 'utf8')).trim());

    await agent.end('SIGKILL');
    for (const driver of [GPU, NIC]) await unplug(driver);
    await node.containerd.reboot();
    // Specifications of CDI devices are often in /run.
    await rm(specs, { recursive: true });
    await mkdir(specs);
    const nextBootId = 'b0070000-0000-4000-8000-000000000001';
    agent = await start(nextBootId);
    await until('the node reports its restart', () => bootId() === nextBootId);
    const restarted = [await plug(GPU), await plug(NIC)];

    const isNew = (name: string, index: number): boolean =>
      pod(name)?.status?.containerStatuses?.[0]?.state?.running !== undefined &&
      pod(name)?.status?.containerStatuses?.[0]?.containerID !== `containerd://${before[index]!}`;
    for (const [index, name] of ['first', 'second'].entries()) {
      await until(`${name} runs again`, () => isNew(name, index));
      expect(pod(name)?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
      expect(await run(await untilRunning(name), devices)).toBe(`${GPU}-common\n${NIC}-common\n`);
    }
    const prepared = restarted.map(({ calls }) => calls.map(({ method, claims }) => [method, ...claims]));
    expect(prepared).toEqual([[['NodePrepareResources', 'common']], [['NodePrepareResources', 'common']]]);
    await remove('first');
    await remove('second');
    expect(await readdir(specs)).toEqual([]);
  });

  it('show the health of their devices as it changes', async () => {
    const plugin = plugins.get(NIC)!;
    createClaim('card', NIC);
    createPod('healthy', 'card');
    await untilRunning('healthy');
    const health = () =>
      pod('healthy')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources?.[0]?.health;
    for (const next of ['Unhealthy', 'Healthy'] as const) {
      plugin.setHealth([{ poolName: 'pool', deviceName: 'card', health: next, timeoutMs: 3_600_000 }]);
      await until(`the device is ${next}`, () => health() === next);
    }
    await unplug(NIC);
    await until('the health is unknown', () => health() === 'Unknown');
    await plug(NIC);
    await remove('healthy');
  });
});
