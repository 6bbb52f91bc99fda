import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  isNotFound,
  PodSandboxState,
  StatusCode,
} from '@rxlet/cri-api';
import { createCriClient, type CriClient, CriError } from '@rxlet/cri-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

const IMAGE = 'docker.io/library/busybox:1.36';

let folder: string;
let client: CriClient;
let exitCode: Promise<number>;
const stop = new AbortController();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'life-of-pod-'));
  const endpoint = `unix://${join(folder, 'fake.sock')}`;
  const listening = Promise.withResolvers<void>();
  exitCode = run(['--listen', endpoint], {
    stdout: () => listening.resolve(),
    stderr: () => undefined,
    signal: stop.signal,
  });
  await listening.promise;
  client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint });
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  stop.abort();
  expect(await exitCode).toBe(0);
  await rm(folder, { recursive: true });
});

/** Reads container events until one of a container has the given type. */
async function eventOf(
  events: AsyncIterator<ContainerEventResponse>,
  containerId: string,
  type: ContainerEventType,
): Promise<ContainerEventResponse> {
  for (;;) {
    const next = await events.next();
    if (next.done) throw new Error('the events have ended');
    if (next.value.containerId === containerId && next.value.containerEventType === type) return next.value;
  }
}

const sandboxConfig = () => ({
  metadata: { name: 'web', namespace: 'default', uid: 'uid-1', attempt: 0 },
  hostname: 'web',
  logDirectory: join(folder, 'default_web_uid-1'),
  labels: { 'io.kubernetes.pod.name': 'web' },
});

/** The grpc-js client against the connect-node server: two independent implementations of gRPC. */
describe('the life of a pod over the socket', () => {
  it('begins with a runtime that reports its version and that it is ready', async () => {
    expect(await client.runtime.version({ version: '0.1.0' })).toMatchObject({
      runtimeName: 'fake',
      runtimeApiVersion: 'v1',
    });
    const { status, info } = await client.runtime.status({ verbose: true });
    expect(status?.conditions.map(({ type, status }) => [type, status])).toEqual([
      ['RuntimeReady', true],
      ['NetworkReady', true],
    ]);
    expect(Object.keys(info)).not.toEqual([]);
  });

  it('goes from the pull of its image to the removal of its sandbox', async () => {
    const { runtime, images } = client;
    const events = runtime.getContainerEvents({})[Symbol.asyncIterator]();

    const { imageRef } = await images.pullImage({ image: { image: IMAGE } });
    expect((await images.listImages({})).images).toMatchObject([{ repoTags: [IMAGE] }]);
    expect((await images.imageStatus({ image: { image: imageRef } })).image?.repoTags).toEqual([IMAGE]);

    const sandbox = sandboxConfig();
    // The stream of events is open when its first message arrives, which is that of the sandbox; until then others might be missed.
    const firstEvent = events.next();
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandbox });
    expect(await runtime.podSandboxStatus({ podSandboxId })).toMatchObject({
      status: {
        id: podSandboxId,
        state: PodSandboxState.SANDBOX_READY,
        metadata: sandbox.metadata,
        network: { ip: expect.any(String) as string },
      },
    });
    expect((await firstEvent).value).toMatchObject({ podSandboxStatus: { metadata: sandbox.metadata } });

    const create = async (name: string, command: string[]): Promise<string> => {
      const config = {
        metadata: { name, attempt: 0 },
        image: { image: IMAGE },
        command,
        logPath: `${name}/0.log`,
        labels: { name },
      };
      return (await runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox })).containerId;
    };
    const server = await create('server', ['sh', '-c', 'echo ready; sleep 3600']);
    const job = await create('job', ['sh', '-c', 'echo working; exit 3']);
    expect((await runtime.containerStatus({ containerId: job })).status?.state).toBe(ContainerState.CONTAINER_CREATED);

    await runtime.startContainer({ containerId: server });
    await eventOf(events, server, ContainerEventType.CONTAINER_STARTED_EVENT);
    await runtime.startContainer({ containerId: job });
    await eventOf(events, job, ContainerEventType.CONTAINER_STOPPED_EVENT);
    expect((await runtime.containerStatus({ containerId: job })).status).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 3,
      reason: 'Error',
    });

    const running = await runtime.listContainers({
      filter: { podSandboxId, state: { state: ContainerState.CONTAINER_RUNNING } },
    });
    expect(running.containers).toMatchObject([{ id: server, labels: { name: 'server' } }]);
    expect((await runtime.listPodSandbox({})).items).toMatchObject([{ id: podSandboxId }]);
    expect(await readFile(join(sandbox.logDirectory, 'server/0.log'), 'utf8')).toMatch(/^\S+ stdout F ready\n$/);
    expect(await readFile(join(sandbox.logDirectory, 'job/0.log'), 'utf8')).toMatch(/^\S+ stdout F working\n$/);

    const { stats } = await runtime.containerStats({ containerId: server });
    expect(stats?.attributes?.id).toBe(server);
    expect(stats?.memory?.workingSetBytes?.value).toBeGreaterThan(0n);
    expect((await runtime.listPodSandboxStats({})).stats.map(({ attributes }) => attributes?.id)).toContain(
      podSandboxId,
    );

    const exec = await runtime.execSync({ containerId: server, cmd: ['sh', '-c', 'echo out; exit 7'], timeout: 5n });
    expect({ ...exec, stdout: new TextDecoder().decode(exec.stdout) }).toMatchObject({ stdout: 'out\n', exitCode: 7 });

    await runtime.stopContainer({ containerId: server, timeout: 1n });
    await eventOf(events, server, ContainerEventType.CONTAINER_STOPPED_EVENT);
    await runtime.stopPodSandbox({ podSandboxId });
    expect((await runtime.podSandboxStatus({ podSandboxId })).status?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    await runtime.removeContainer({ containerId: server });
    await eventOf(events, server, ContainerEventType.CONTAINER_DELETED_EVENT);
    await runtime.removePodSandbox({ podSandboxId });
    expect((await runtime.listContainers({})).containers).toEqual([]);
    expect((await runtime.listPodSandbox({})).items).toEqual([]);

    await images.removeImage({ image: { image: IMAGE } });
    expect((await images.listImages({})).images).toEqual([]);
    await events.return!();
  });

  it('passes errors on with code and message', async () => {
    const error: unknown = await client.runtime
      .startContainer({ containerId: 'nobody' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CriError);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({
      kind: 'rejected',
      method: 'StartContainer',
      details: expect.stringContaining('nobody') as string,
    });
  });

  it('ends an exec at its deadline', async () => {
    const { runtime, images } = client;
    await images.pullImage({ image: { image: IMAGE } });
    const sandbox = { ...sandboxConfig(), metadata: { name: 'exec', namespace: 'default', uid: 'uid-2', attempt: 0 } };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandbox });
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: IMAGE }, logPath: 'main/0.log' };
    const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox });
    await runtime.startContainer({ containerId });
    const exec = runtime.execSync({ containerId, cmd: ['sleep', '3600'] }, { timeoutMs: 50 });
    await expect(exec).rejects.toMatchObject({ kind: 'deadline', code: StatusCode.DeadlineExceeded });
    await runtime.removePodSandbox({ podSandboxId });
  });

  it('streams lists in several messages', async () => {
    const ids: string[] = [];
    for await (const { images } of client.images.streamImages({})) ids.push(...images.map(({ id }) => id));
    expect(ids).toEqual((await client.images.listImages({})).images.map(({ id }) => id));
    expect(ids).toHaveLength(1);
  });
});
