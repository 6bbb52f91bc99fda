import { ContainerState, Signal, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createFakeRuntime } from './create-fake-runtime.ts';
import { codeOf, collect, createBench } from './test-support.ts';

describe('containers', () => {
  it('go from created through running to exited, at times that grow', async () => {
    const { fake, clock, runSandbox, create, container } = await createBench();
    const id = await create(await runSandbox(), { command: ['sleep', '3'] });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(await container(id)).toMatchObject({
      state: ContainerState.CONTAINER_CREATED,
      startedAt: 0n,
      finishedAt: 0n,
    });
    await fake.runtime.startContainer({ containerId: id });
    const running = await container(id);
    expect(running).toMatchObject({ state: ContainerState.CONTAINER_RUNNING, finishedAt: 0n });
    expect(running.startedAt).toBeGreaterThan(running.createdAt);
    await clock.advance(2999);
    expect((await container(id)).state).toBe(ContainerState.CONTAINER_RUNNING);
    await clock.advance(1);
    const exited = await container(id);
    expect(exited).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 0, reason: 'Completed' });
    expect(exited.finishedAt).toBe(BigInt(clock.now()) * 1_000_000n);
    expect((await fake.runtime.listContainers({})).containers).toMatchObject([
      { id, state: ContainerState.CONTAINER_EXITED },
    ]);
  });

  it('finish after they started even when no time has passed', async () => {
    const { clock, start, container } = await createBench();
    const id = await start('false');
    await clock.settle();
    const { createdAt, startedAt, finishedAt, exitCode, reason } = await container(id);
    expect(createdAt < startedAt && startedAt < finishedAt).toBe(true);
    expect([exitCode, reason]).toEqual([1, 'Error']);
  });

  it('report their configuration', async () => {
    const { fake, runSandbox, create, container } = await createBench();
    const id = await create(await runSandbox('web'), {
      metadata: { name: 'main', attempt: 3 },
      labels: { app: 'web' },
      annotations: { note: 'x' },
      mounts: [{ containerPath: '/data', hostPath: '/srv/data', readonly: true }],
      linux: {
        resources: { cpuShares: 512n, memoryLimitInBytes: 1024n },
        securityContext: { runAsUser: { value: 1000n }, runAsGroup: { value: 2000n }, supplementalGroups: [3000n] },
      },
      stopSignal: Signal.SIGUSR1,
    });
    const image = (await fake.images.imageStatus({ image: { image: 'busybox' } })).image!;
    expect(await container(id)).toMatchObject({
      metadata: { name: 'main', attempt: 3 },
      labels: { app: 'web' },
      annotations: { note: 'x' },
      image: { image: 'docker.io/library/busybox:latest' },
      imageRef: image.repoDigests[0],
      imageId: image.id,
      mounts: [{ containerPath: '/data', hostPath: '/srv/data', readonly: true }],
      logPath: '/var/log/pods/web/main/0.log',
      resources: { linux: { cpuShares: 512n, memoryLimitInBytes: 1024n } },
      user: { linux: { uid: 1000n, gid: 2000n, supplementalGroups: [2000n, 3000n] } },
      stopSignal: Signal.SIGUSR1,
    });
    const { info } = await fake.runtime.containerStatus({ containerId: id, verbose: true });
    expect(JSON.parse(info['info']!)).toMatchObject({ pid: 0, config: { metadata: { attempt: 3 } } });
  });

  it('reserve name and attempt in the pod until they are removed', async () => {
    const { fake, runSandbox, create } = await createBench();
    const metadata = { name: 'web', namespace: 'default', uid: 'uid-of-web' };
    const sandboxId = await runSandbox('web');
    const id = await create(sandboxId);
    expect(await codeOf(create(sandboxId))).toBe(StatusCode.AlreadyExists);
    // As in real runtimes the name belongs to the pod: another sandbox of it does not free it.
    const secondSandbox = await runSandbox('web', { metadata: { ...metadata, attempt: 1 } });
    expect(await codeOf(create(secondSandbox))).toBe(StatusCode.AlreadyExists);
    await create(secondSandbox, { metadata: { name: 'main', attempt: 1 } });
    await create(await runSandbox('other'));
    await fake.runtime.removeContainer({ containerId: id });
    await create(secondSandbox);
  });

  it('need a sandbox, metadata and an image that is present', async () => {
    const { runSandbox, create } = await createBench();
    const sandboxId = await runSandbox();
    expect(await codeOf(create('0'.repeat(64)))).toBe(StatusCode.NotFound);
    expect(await codeOf(create(sandboxId, { image: { image: 'nginx' } }))).toBe(StatusCode.NotFound);
    expect(await codeOf(create(sandboxId, { image: undefined }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(create(sandboxId, { metadata: undefined }))).toBe(StatusCode.InvalidArgument);
  });

  it('start only once', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('true');
    expect(await codeOf(fake.runtime.startContainer({ containerId }))).toBe(StatusCode.FailedPrecondition);
    await clock.settle();
    await expect(fake.runtime.startContainer({ containerId })).rejects.toThrow('is in CONTAINER_EXITED state');
    expect(await codeOf(fake.runtime.startContainer({ containerId: 'missing' }))).toBe(StatusCode.NotFound);
  });

  it('exit with StartError when their log cannot be opened', async () => {
    const { clock } = await createBench();
    const logs = {
      open: () => {
        throw new Error('disk full');
      },
    };
    const random = { next: () => 0, hex: (bytes: number) => 'ab'.repeat(bytes) };
    const { runtime, images } = createFakeRuntime({ clock, random, logs });
    await images.pullImage({ image: { image: 'busybox' } });
    const metadata = { name: 'web', namespace: 'default', uid: '1', attempt: 0 };
    const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, logDirectory: '/logs' } });
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox' }, logPath: 'main.log' };
    const { containerId } = await runtime.createContainer({ podSandboxId, config });
    await expect(runtime.startContainer({ containerId })).rejects.toMatchObject({ code: StatusCode.Internal });
    expect((await runtime.containerStatus({ containerId })).status).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 128,
      reason: 'StartError',
      message: 'failed to open the container log: disk full',
    });
  });

  it('run the image without a command', async () => {
    const { fake, clock, runSandbox, create, logOf } = await createBench({
      images: [
        { tags: ['greeter'], present: true, entrypoint: ['echo', 'hello'], cmd: ['world'], env: ['GREETING=hi'] },
      ],
    });
    const sandboxId = await runSandbox();
    const run = async (name: string, config: { command?: string[]; args?: string[] }): Promise<string[]> => {
      const containerId = await create(sandboxId, {
        metadata: { name, attempt: 0 },
        image: { image: 'greeter' },
        logPath: name,
        ...config,
      });
      await fake.runtime.startContainer({ containerId });
      await clock.settle();
      return logOf(containerId);
    };
    expect(await run('plain', {})).toEqual(['stdout F hello world']);
    expect(await run('args', { args: ['you'] })).toEqual(['stdout F hello you']);
    expect(await run('command', { command: ['sh', '-c', 'echo $GREETING $1', 'sh'], args: ['there'] })).toEqual([
      'stdout F hi there',
    ]);
  });

  it('end by exitContainer as by themselves', async () => {
    const { fake, start, container } = await createBench();
    const id = await start('nginx');
    fake.exitContainer(id, 137, 'OOMKilled');
    expect(await container(id)).toMatchObject({
      state: ContainerState.CONTAINER_EXITED,
      exitCode: 137,
      reason: 'OOMKilled',
    });
    expect(() => fake.exitContainer(id, 1)).toThrow('does not run');
  });

  it('match filters by id, state, sandbox and labels in combination', async () => {
    const { fake, runSandbox, create } = await createBench();
    const [one, two] = [await runSandbox(), await runSandbox()];
    const a = await create(one, { metadata: { name: 'a', attempt: 0 }, labels: { app: 'x', role: 'a' } });
    const b = await create(one, { metadata: { name: 'b', attempt: 0 }, labels: { app: 'x' } });
    const c = await create(two, { labels: { app: 'x' } });
    await fake.runtime.startContainer({ containerId: b });
    const list = async (
      filter: NonNullable<Parameters<typeof fake.runtime.listContainers>[0]['filter']>,
    ): Promise<string[]> => (await fake.runtime.listContainers({ filter })).containers.map((item) => item.id);
    expect(await list({})).toEqual([a, b, c]);
    expect(await list({ id: c })).toEqual([c]);
    expect(await list({ podSandboxId: one })).toEqual([a, b]);
    expect(await list({ state: { state: ContainerState.CONTAINER_RUNNING } })).toEqual([b]);
    expect(await list({ state: { state: ContainerState.CONTAINER_CREATED }, podSandboxId: two })).toEqual([c]);
    expect(await list({ labelSelector: { app: 'x', role: 'a' } })).toEqual([a]);
    expect(await list({ labelSelector: { app: 'y' } })).toEqual([]);
    const streamed = await collect(fake.runtime.streamContainers({ filter: { podSandboxId: one } }));
    expect(streamed.flatMap((message) => message.containers.map((item) => item.id))).toEqual([a, b]);
  });
});

describe('StopContainer', () => {
  it('lets the program end by its signal: 143', async () => {
    const { fake, clock, start, container } = await createBench();
    for (const command of [['sleep', 'infinity'], ['nginx'], ['sh', '-c', 'while true; do sleep 1; done']]) {
      const containerId = await start(...command);
      await fake.runtime.stopContainer({ containerId, timeout: 30n });
      expect(await container(containerId)).toMatchObject({ exitCode: 143, reason: 'Error' });
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends the stop signal of the container', async () => {
    const { fake, runSandbox, create, container } = await createBench();
    const containerId = await create(await runSandbox(), { stopSignal: Signal.SIGRTMINPLUS3 });
    await fake.runtime.startContainer({ containerId });
    await fake.runtime.stopContainer({ containerId, timeout: 1n });
    expect((await container(containerId)).exitCode).toBe(128 + 37);
  });

  it('kills a program that ignores the signal at the timeout: 137', async () => {
    const { fake, clock, start, container } = await createBench();
    const containerId = await start('sh', '-c', "trap '' TERM; sleep 100");
    const stopped = fake.runtime.stopContainer({ containerId, timeout: 5n });
    await clock.advance(4999);
    expect((await container(containerId)).state).toBe(ContainerState.CONTAINER_RUNNING);
    await clock.advance(1);
    await stopped;
    expect(await container(containerId)).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 137 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('returns as soon as such a program ends by itself', async () => {
    const { fake, clock, start, container } = await createBench();
    const containerId = await start('sh', '-c', "trap '' TERM; sleep 2; exit 7");
    const stopped = fake.runtime.stopContainer({ containerId, timeout: 60n });
    await clock.advance(2000);
    await stopped;
    expect((await container(containerId)).exitCode).toBe(7);
    expect(clock.pendingTimers).toBe(0);
  });

  it('kills at once with timeout 0, and when a second call has a shorter timeout', async () => {
    const { fake, clock, start, container } = await createBench();
    const containerId = await start('sh', '-c', "trap '' TERM; sleep 100");
    const pendingStop = fake.runtime.stopContainer({ containerId, timeout: 60n });
    await clock.settle();
    await fake.runtime.stopContainer({ containerId, timeout: 0n });
    await pendingStop;
    expect((await container(containerId)).exitCode).toBe(137);
  });

  it('does nothing to a container that does not run, and succeeds', async () => {
    const { fake, clock, runSandbox, create, start, container } = await createBench();
    const created = await create(await runSandbox());
    await fake.runtime.stopContainer({ containerId: created, timeout: 1n });
    expect((await container(created)).state).toBe(ContainerState.CONTAINER_CREATED);
    const exited = await start('true');
    await clock.settle();
    await fake.runtime.stopContainer({ containerId: exited, timeout: 1n });
    expect((await container(exited)).exitCode).toBe(0);
    await fake.runtime.stopContainer({ containerId: 'missing', timeout: 1n });
  });

  it('stops waiting when the call is cancelled, and does not kill then', async () => {
    const { fake, clock, start, container } = await createBench();
    const containerId = await start('sh', '-c', "trap '' TERM; sleep 100");
    const controller = new AbortController();
    const stopped = codeOf(fake.runtime.stopContainer({ containerId, timeout: 60n }, { signal: controller.signal }));
    const tooShort = codeOf(fake.runtime.stopContainer({ containerId, timeout: 60n }, { timeoutMs: 1000 }));
    await clock.settle();
    controller.abort();
    expect(await stopped).toBe(StatusCode.Canceled);
    await clock.advance(1000);
    expect(await tooShort).toBe(StatusCode.DeadlineExceeded);
    expect((await container(containerId)).state).toBe(ContainerState.CONTAINER_RUNNING);
    expect(clock.pendingTimers).toBe(1);
  });
});

describe('RemoveContainer', () => {
  it('kills a running container, and leaves the log', async () => {
    const { fake, clock, logs, start, container } = await createBench();
    const containerId = await start('sh', '-c', 'echo hi; sleep 100');
    await clock.settle();
    const { logPath } = await container(containerId);
    await fake.runtime.removeContainer({ containerId });
    expect(await codeOf(fake.runtime.containerStatus({ containerId }))).toBe(StatusCode.NotFound);
    expect(logs.read(logPath)).toContain('hi');
    expect(clock.pendingTimers).toBe(0);
    await fake.runtime.removeContainer({ containerId });
  });
});
