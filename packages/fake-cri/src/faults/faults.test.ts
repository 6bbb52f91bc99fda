import { ContainerEventType, ContainerState, PodSandboxState, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { codeOf, createBench } from '../test-support.ts';

const podConfig = (annotations: Record<string, string>) => ({ annotations });

describe('failpoints', () => {
  it('fail the given number of calls with a code, and none after that', async () => {
    const { fake, runSandbox } = await createBench();
    fake.setFailpoint('runPodSandbox', '1*off->2*error(resource_exhausted: full)');
    await runSandbox('a');
    expect(await codeOf(runSandbox('b'))).toBe(StatusCode.ResourceExhausted);
    await expect(runSandbox('b')).rejects.toThrow('full');
    await runSandbox('b');
    expect(fake.snapshot().sandboxes).toHaveLength(2);
    expect(fake.failpoints()).toEqual([]);
  });

  it('delays a call before its effect', async () => {
    const { fake, clock, runSandbox } = await createBench();
    fake.setFailpoint('runPodSandbox', '1*delay(200)');
    const call = runSandbox();
    await clock.advance(199);
    expect(fake.snapshot().sandboxes).toHaveLength(0);
    await clock.advance(1);
    await call;
    expect(fake.snapshot().sandboxes).toHaveLength(1);
  });

  it('hangs until the deadline, without an effect, or after it', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('sleep', '60');
    for (const [place, left] of [
      ['before', 1],
      ['after', 0],
    ] as const) {
      fake.setFailpoint('removeContainer', '1*hang', place);
      const code = codeOf(fake.runtime.removeContainer({ containerId }, { timeoutMs: 1000 }));
      await clock.advance(1000);
      expect(await code).toBe(StatusCode.DeadlineExceeded);
      expect(fake.snapshot().containers).toHaveLength(left);
    }
  });

  it('loses the reply of a call that was carried out', async () => {
    const { fake, runSandbox } = await createBench();
    fake.setFailpoint('runPodSandbox', '1*lost');
    expect(await codeOf(runSandbox('a'))).toBe(StatusCode.Unavailable);
    expect(fake.snapshot().sandboxes).toHaveLength(1);
    expect(await codeOf(runSandbox('a'))).toBe(StatusCode.AlreadyExists);
  });

  it('fails streams, and leaves other RPCs alone', async () => {
    const { fake } = await createBench();
    fake.setFailpoint('getContainerEvents', 'error(unimplemented)');
    const events = fake.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    expect(await codeOf(events.next())).toBe(StatusCode.Unimplemented);
    expect(await codeOf(fake.runtime.version({}))).toBeUndefined();
  });

  it('follow the annotations of a pod for its own calls', async () => {
    const { fake, runSandbox, create } = await createBench();
    const config = podConfig({
      'fail.rxlet.dev/RunPodSandbox': '1*error(unavailable: x)',
      'fail.rxlet.dev/StartContainer.after': '1*error(internal: late)',
    });
    expect(await codeOf(runSandbox('a', config))).toBe(StatusCode.Unavailable);
    const containerId = await create(await runSandbox('a', config));
    await runSandbox('b');
    expect(await codeOf(fake.runtime.startContainer({ containerId }))).toBe(StatusCode.Internal);
    expect(fake.snapshot().containers[0]?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('reject malformed terms', async () => {
    const { fake, runSandbox } = await createBench();
    expect(() => fake.setFailpoint('version', 'explode')).toThrow('expected off');
    const config = podConfig({ 'fail.rxlet.dev/RunPodSandbox': '2*' });
    expect(await codeOf(runSandbox('a', config))).toBe(StatusCode.InvalidArgument);
  });

  it('list their remaining terms until they are cleared', async () => {
    const { fake, runSandbox } = await createBench();
    fake.setFailpoint('runPodSandbox', '2*off->error(unavailable: x)');
    await runSandbox();
    expect(fake.failpoints()).toEqual([
      { rpc: 'runPodSandbox', place: 'before', failpoint: '1*off->error(unavailable: x)' },
    ]);
    fake.clearFailpoints();
    await runSandbox();
    await runSandbox();
    expect(fake.snapshot().sandboxes).toHaveLength(3);
  });
});

describe('the runtime as a whole', () => {
  it('stops and starts, while containers keep running', async () => {
    const { fake, clock, start, container } = await createBench();
    const short = await start('sleep', '5');
    const long = await start('sleep', '3600');
    const events = fake.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const ended = codeOf(events.next());
    fake.stop();
    expect(await ended).toBe(StatusCode.Unavailable);
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Unavailable);
    await clock.advance(10_000);
    fake.start();
    expect((await container(short)).state).toBe(ContainerState.CONTAINER_EXITED);
    expect((await container(long)).state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('stops when a failpoint panics', async () => {
    const { fake } = await createBench();
    fake.setFailpoint('version', '1*panic(bug)');
    expect(await codeOf(fake.runtime.version({}))).toBe(StatusCode.Unavailable);
    expect(fake.running).toBe(false);
    fake.start();
    expect(await codeOf(fake.runtime.version({}))).toBeUndefined();
  });

  it('loses a container, whose name is free then', async () => {
    const { fake, runSandbox, create } = await createBench();
    const sandboxId = await runSandbox();
    const lost = await create(sandboxId);
    fake.loseContainer(lost);
    expect(await codeOf(fake.runtime.containerStatus({ containerId: lost }))).toBe(StatusCode.NotFound);
    await create(sandboxId);
  });

  it('turns a sandbox not ready, and leaves its containers running', async () => {
    const { fake, start, container, sandbox } = await createBench();
    const containerId = await start('sleep', '60');
    const { id } = fake.snapshot().sandboxes[0]!;
    fake.failSandbox(id);
    expect((await sandbox(id)).state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    expect((await container(containerId)).state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('reports a network that is not ready until it is ready again', async () => {
    const { fake } = await createBench();
    const conditions = async () => (await fake.runtime.status({})).status?.conditions;
    fake.setNetworkReady(false);
    expect(await conditions()).toMatchObject([
      { type: 'RuntimeReady', status: true },
      { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady' },
    ]);
    fake.setNetworkReady(true);
    expect((await conditions())?.every(({ status }) => status)).toBe(true);
  });
});

describe('event faults', () => {
  const { CONTAINER_CREATED_EVENT: created, CONTAINER_STARTED_EVENT: started } = ContainerEventType;

  /** Returns the events of two sandboxes that a subscriber gets within `waitMs`. */
  async function eventsWith(
    faults: Parameters<Awaited<ReturnType<typeof createBench>>['fake']['setEventFaults']>[0],
    waitMs = 0,
  ): Promise<ContainerEventType[]> {
    const { fake, clock, runSandbox } = await createBench();
    fake.setEventFaults(faults);
    const seen: ContainerEventType[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of fake.runtime.getContainerEvents({}, { signal: stop.signal }))
        seen.push(event.containerEventType);
    })();
    const ended = codeOf(reading);
    await runSandbox();
    await clock.advance(waitMs);
    stop.abort();
    await ended;
    return seen;
  }

  it('does nothing by default', async () => expect(await eventsWith({})).toEqual([created, started]));
  it('drops', async () => expect(await eventsWith({ drop: 1 })).toEqual([]));
  it('duplicates', async () =>
    expect(await eventsWith({ duplicate: 1 })).toEqual([created, created, started, started]));
  it('reorders', async () => expect(await eventsWith({ reorder: 1 })).toEqual([started, created]));
  it('replays', async () => expect(await eventsWith({ replay: 1 })).toHaveLength(4));
  it('delays', async () => {
    expect(await eventsWith({ delayMs: 500 }, 499)).toEqual([]);
    expect(await eventsWith({ delayMs: 500 }, 500)).toEqual([created, started]);
  });
  it('repeats its faults with the same seed', async () => {
    const faults = { drop: 0.3, duplicate: 0.3, reorder: 0.3, replay: 0.3 };
    expect(await eventsWith(faults, 2000)).toEqual(await eventsWith(faults, 2000));
  });
  it('rejects values that are no probabilities', async () => {
    const { fake } = await createBench();
    expect(() => fake.setEventFaults({ drop: 2 })).toThrow('must be from 0 to 1');
  });
});
