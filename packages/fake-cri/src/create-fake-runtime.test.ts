import { ImageServiceDescriptor, RuntimeServiceDescriptor, ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { codeOf, createBench } from './test-support.ts';

describe('a fake runtime', () => {
  it('reports its name and version', async () => {
    const { fake } = await createBench({ runtimeName: 'mock', runtimeVersion: '9.9', cgroupDriver: 'cgroupfs' });
    expect(await fake.runtime.version({})).toMatchObject({
      version: '0.1.0',
      runtimeName: 'mock',
      runtimeVersion: '9.9',
      runtimeApiVersion: 'v1',
    });
    expect((await fake.runtime.status({})).status?.conditions).toMatchObject([
      { type: 'RuntimeReady', status: true },
      { type: 'NetworkReady', status: true },
    ]);
    expect(Object.keys((await fake.runtime.status({ verbose: true })).info)).toEqual(['config']);
    expect((await fake.runtime.runtimeConfig({})).linux?.cgroupDriver).toBe(1);
  });

  it('simulates every RPC of the CRI', async () => {
    const { fake } = await createBench();
    const ports = { ...fake.runtime, ...fake.images } as unknown as Record<string, (request: object) => unknown>;
    const unimplemented: string[] = [];
    for (const { name, localName, methodKind } of [
      ...RuntimeServiceDescriptor.methods,
      ...ImageServiceDescriptor.methods,
    ]) {
      // It does not respond to an empty request before the first event.
      if (name === 'GetContainerEvents') continue;
      const answer = ports[localName]!({});
      const first = methodKind === 'unary' ? answer : (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
      const error = await (first as Promise<unknown>).catch((thrown: unknown) => thrown);
      if (!(error instanceof ServiceError) || error.code !== StatusCode.Unimplemented) continue;
      unimplemented.push(name);
    }
    expect(unimplemented).toEqual([]);
  });

  it('counts its calls and fails those that failNext names', async () => {
    const { fake } = await createBench();
    fake.failNext('version', new ServiceError(StatusCode.Unavailable, 'first'));
    fake.failNext('version', new ServiceError(StatusCode.Internal, 'second'));
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Unavailable);
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Internal);
    expect(await codeOf(fake.runtime.version({}))).toBeUndefined();
    expect(fake.calls.get('version')).toBe(3);
    expect(fake.calls.get('listContainers')).toBeUndefined();
  });

  it('applies the latency to each change, and none to reads', async () => {
    const { fake, clock, runSandbox } = await createBench({ latencyMs: 100 });
    const running = runSandbox('web');
    await clock.advance(99);
    expect((await fake.runtime.listPodSandbox({})).items).toEqual([]);
    await clock.advance(1);
    const podSandboxId = await running;

    const controller = new AbortController();
    const cancelled = codeOf(fake.runtime.removePodSandbox({ podSandboxId }, { signal: controller.signal }));
    const tooShort = codeOf(fake.runtime.removePodSandbox({ podSandboxId }, { timeoutMs: 50 }));
    await clock.settle();
    controller.abort();
    expect(await cancelled).toBe(StatusCode.Canceled);
    await clock.advance(1000);
    expect(await tooShort).toBe(StatusCode.DeadlineExceeded);
    expect(fake.snapshot().sandboxes).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('generates the same ids for the same seed', async () => {
    const [one, two] = [await createBench(), await createBench()];
    expect(await one.runSandbox()).toBe(await two.runSandbox());
  });

  it('finds objects by the beginning of their id, as long as that is unambiguous', async () => {
    const { fake, runSandbox, sandbox } = await createBench();
    const ids = [];
    for (let count = 0; count < 17; count++) ids.push(await runSandbox());
    expect((await sandbox(ids[3]!.slice(0, 13))).id).toBe(ids[3]);
    // Of 17 ids two begin with the same digit.
    const first = ids.map((id) => id[0]!).find((digit, index, all) => all.indexOf(digit) !== index)!;
    expect(await codeOf(sandbox(first))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(fake.runtime.podSandboxStatus({ podSandboxId: '' }))).toBe(StatusCode.NotFound);
  });

  it('leaves nothing behind when it is disposed of, and answers Unavailable', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('sh', '-c', "trap '' TERM; sleep 100");
    const calls = [
      codeOf(fake.runtime.execSync({ containerId, cmd: ['sleep', '10'], timeout: 20n })),
      codeOf(fake.runtime.stopContainer({ containerId, timeout: 60n })),
    ];
    await clock.settle();
    await fake[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    expect(await Promise.all(calls)).toEqual([StatusCode.Unavailable, StatusCode.Unavailable]);
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Unavailable);
    expect(clock.pendingTimers).toBe(0);
  });

  it('starts hundreds of pods without any virtual time', async () => {
    const { fake, clock, start } = await createBench();
    await Promise.all(Array.from({ length: 500 }, () => start('sh', '-c', 'echo started; sleep 3600')));
    await clock.settle();
    expect((await fake.runtime.listContainers({ filter: { state: { state: 1 } } })).containers).toHaveLength(500);
    await fake[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
