import { ContainerState, NamespaceMode, PodSandboxState, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { type Bench, codeOf, createBench } from './test-support.ts';

interface Contract {
  readonly area: string;
  readonly contract: string;
  check(bench: Bench): Promise<void>;
}

const { CONTAINER_CREATED, CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;
const stateOf = async (bench: Bench, id: string): Promise<ContainerState> => (await bench.container(id)).state;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What the CRI expects of a runtime, by the areas of its validation suite. Each is checked on a fresh runtime that has the image busybox. */
const CONTRACTS: readonly Contract[] = [
  {
    area: 'Runtime info',
    contract: 'names itself and the version of the CRI, and is ready',
    async check({ fake: { runtime } }) {
      expect(await runtime.version({})).toMatchObject({ runtimeName: 'fake', runtimeApiVersion: 'v1' });
      const { status, runtimeHandlers } = await runtime.status({});
      expect(status!.conditions.map(({ type, status: holds }) => [type, holds])).toEqual([
        ['RuntimeReady', true],
        ['NetworkReady', true],
      ]);
      expect(runtimeHandlers[0]).toMatchObject({ name: '', features: { recursiveReadOnlyMounts: true } });
    },
  },
  {
    area: 'PodSandbox',
    contract: 'is ready when it runs, not ready when stopped, and unknown when removed',
    async check(bench) {
      const { runtime } = bench.fake;
      const podSandboxId = await bench.runSandbox();
      expect((await bench.sandbox(podSandboxId)).state).toBe(PodSandboxState.SANDBOX_READY);
      await runtime.stopPodSandbox({ podSandboxId });
      expect((await bench.sandbox(podSandboxId)).state).toBe(PodSandboxState.SANDBOX_NOTREADY);
      await runtime.removePodSandbox({ podSandboxId });
      expect(await codeOf(runtime.podSandboxStatus({ podSandboxId }))).toBe(StatusCode.NotFound);
    },
  },
  {
    area: 'Container',
    contract: 'is created, runs, exits with its code, and is removed',
    async check(bench) {
      const { runtime } = bench.fake;
      const command = ['sh', '-c', 'sleep 1; exit 7'];
      const containerId = await bench.create(await bench.runSandbox(), { command });
      expect(await stateOf(bench, containerId)).toBe(CONTAINER_CREATED);
      await runtime.startContainer({ containerId });
      expect(await stateOf(bench, containerId)).toBe(CONTAINER_RUNNING);
      await bench.clock.advance(1000);
      expect(await bench.container(containerId)).toMatchObject({ state: CONTAINER_EXITED, exitCode: 7 });
      await runtime.removeContainer({ containerId });
      expect(await codeOf(runtime.containerStatus({ containerId }))).toBe(StatusCode.NotFound);
    },
  },
  {
    area: 'Container',
    contract: 'writes its log as time, stream, tag and line',
    async check(bench) {
      const id = await bench.start('sh', '-c', 'echo out; echo err >&2');
      await bench.clock.advance(10);
      const lines = bench.logs.read((await bench.container(id)).logPath).split('\n');
      expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z stdout F out$/);
      expect(lines[1]).toMatch(/Z stderr F err$/);
    },
  },
  {
    area: 'Container',
    contract: 'runs a command by ExecSync and gives its output and exit code',
    async check(bench) {
      const containerId = await bench.start('nginx');
      const cmd = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
      const { exitCode, stdout, stderr } = await bench.fake.runtime.execSync({ containerId, cmd });
      expect([exitCode, text(stdout), text(stderr)]).toEqual([3, 'out\n', 'err\n']);
    },
  },
  {
    area: 'Container',
    contract: 'ends an ExecSync that takes longer than its timeout',
    async check(bench) {
      const containerId = await bench.start('nginx');
      const call = codeOf(bench.fake.runtime.execSync({ containerId, cmd: ['sleep', '10'], timeout: 1n }));
      await bench.clock.advance(1000);
      expect(await call).toBe(StatusCode.DeadlineExceeded);
    },
  },
  {
    area: 'Idempotence',
    contract: 'stops and removes a sandbox twice',
    async check(bench) {
      const { runtime } = bench.fake;
      const podSandboxId = await bench.runSandbox();
      for (let time = 0; time < 2; time += 1) await runtime.stopPodSandbox({ podSandboxId });
      for (let time = 0; time < 2; time += 1) await runtime.removePodSandbox({ podSandboxId });
      expect(bench.fake.snapshot().sandboxes).toEqual([]);
    },
  },
  {
    area: 'Idempotence',
    contract: 'stops and removes a container twice',
    async check(bench) {
      const { runtime } = bench.fake;
      const containerId = await bench.start('nginx');
      for (let time = 0; time < 2; time += 1) await runtime.stopContainer({ containerId, timeout: 1n });
      expect(await stateOf(bench, containerId)).toBe(CONTAINER_EXITED);
      for (let time = 0; time < 2; time += 1) await runtime.removeContainer({ containerId });
      expect(bench.fake.snapshot().containers).toEqual([]);
    },
  },
  {
    area: 'Idempotence',
    contract: 'removes an image twice',
    async check({ fake: { images } }) {
      for (let time = 0; time < 2; time += 1) await images.removeImage({ image: { image: 'busybox' } });
      expect((await images.listImages({})).images).toEqual([]);
    },
  },
  {
    area: 'Image',
    contract: 'knows an image by tag and by id, and as the same one',
    async check({ fake: { images } }) {
      const { imageRef } = await images.pullImage({ image: { image: 'busybox' } });
      const byTag = await images.imageStatus({ image: { image: 'busybox' } });
      const byId = await images.imageStatus({ image: { image: imageRef } });
      expect(byTag.image?.id).toBe(imageRef);
      expect(byId.image).toEqual(byTag.image);
    },
  },
  {
    area: 'Image',
    contract: 'reports the id of the image that a container runs',
    async check(bench) {
      const { imageRef } = await bench.fake.images.pullImage({ image: { image: 'busybox' } });
      const status = await bench.container(await bench.start('nginx'));
      expect(status.imageId).toBe(imageRef);
    },
  },
  {
    area: 'Multiple containers',
    contract: 'runs several in a pod, each with its own state and log',
    async check(bench) {
      const podSandboxId = await bench.runSandbox();
      const ids: string[] = [];
      for (const name of ['one', 'two']) {
        const command = ['sh', '-c', `echo ${name}; sleep 5`];
        const containerId = await bench.create(podSandboxId, {
          metadata: { name, attempt: 0 },
          command,
          logPath: `${name}.log`,
        });
        await bench.fake.runtime.startContainer({ containerId });
        ids.push(containerId);
      }
      await bench.fake.runtime.stopContainer({ containerId: ids[0]!, timeout: 1n });
      expect([await stateOf(bench, ids[0]!), await stateOf(bench, ids[1]!)]).toEqual([
        CONTAINER_EXITED,
        CONTAINER_RUNNING,
      ]);
      expect([await bench.logOf(ids[0]!), await bench.logOf(ids[1]!)]).toEqual([['stdout F one'], ['stdout F two']]);
    },
  },
  {
    area: 'Security context',
    contract: 'reports the namespaces of a sandbox; without a network of its own it has no address',
    async check(bench) {
      const namespaceOptions = { network: NamespaceMode.NODE, pid: NamespaceMode.CONTAINER, ipc: NamespaceMode.POD };
      const id = await bench.runSandbox('host', { linux: { securityContext: { namespaceOptions } } });
      const { linux, network } = await bench.sandbox(id);
      expect(linux?.namespaces?.options).toMatchObject(namespaceOptions);
      expect(network?.ip).toBe('');
    },
  },
  {
    area: 'Security context',
    contract: 'reports the user and the groups of a container',
    async check(bench) {
      const securityContext = {
        runAsUser: { value: 1000n },
        runAsGroup: { value: 2000n },
        supplementalGroups: [3000n],
      };
      const { user } = await bench.container(
        await bench.create(await bench.runSandbox(), { linux: { securityContext } }),
      );
      expect(user?.linux).toMatchObject({ uid: 1000n, gid: 2000n, supplementalGroups: [2000n, 3000n] });
    },
  },
];

describe('the contracts of the CRI', () => {
  it.each(CONTRACTS)('$area: $contract', async ({ check }) => {
    const bench = await createBench();
    await check(bench);
    await bench.fake[Symbol.asyncDispose]();
  });
});
