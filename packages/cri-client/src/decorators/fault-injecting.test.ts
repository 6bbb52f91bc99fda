import { FailpointError } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { type CallOptions, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { rejectionOf, scriptedServices } from '../test-support/scripted-services.ts';
import type { RpcName } from './cri-services.ts';
import { faultInjecting } from './fault-injecting.ts';

function faulty(faults: Partial<Record<RpcName, string>>) {
  const clock = createVirtualClock();
  const reached: (CallOptions | undefined)[] = [];
  const panics: string[] = [];
  const services = scriptedServices({
    version: (_request, options) => (reached.push(options), { runtimeName: 'x' }),
    startContainer: () => (reached.push({}), {}),
    getContainerEvents: async function* (_request, options) {
      reached.push(options);
      yield { containerId: 'a' };
      yield { containerId: 'b' };
    },
  });
  const decorated = faultInjecting(services, { clock, faults, onPanic: (message) => panics.push(message) });
  return { ...decorated, clock, reached, panics };
}

async function idsOf(stream: AsyncIterable<{ containerId: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { containerId } of stream) ids.push(containerId);
  return ids;
}

describe('faultInjecting', () => {
  it('fails the calls of the failpoint, before they have an effect', async () => {
    const { runtime, reached } = faulty({ version: '1*off->2*error(unavailable: no shim)' });
    await runtime.version({});
    for (let call = 0; call < 2; call++) {
      const error = await rejectionOf(runtime.version({}));
      expect(error).toMatchObject({ name: 'ServiceError', code: StatusCode.Unavailable, message: 'no shim' });
    }
    expect(reached).toHaveLength(1);
    await runtime.version({});
    expect(reached).toHaveLength(2);
  });

  it('calls a function with the RPC and the request', async () => {
    const { clock, ...services } = faulty({});
    const { runtime } = faultInjecting(services, {
      clock,
      faults: (rpc, request) =>
        rpc === 'startContainer' && 'containerId' in request && request.containerId === 'bad'
          ? { kind: 'error', code: 13, message: 'bad' }
          : undefined,
    });
    await runtime.startContainer({ containerId: 'good' });
    expect(await rejectionOf(runtime.startContainer({ containerId: 'bad' }))).toMatchObject({ code: 13 });
  });

  it('delays, and subtracts the delay from the deadline', async () => {
    const { runtime, clock, reached } = faulty({ version: 'delay(200)' });
    const call = runtime.version({}, { timeoutMs: 1000 });
    await clock.advance(199);
    expect(reached).toEqual([]);
    await clock.advance(1);
    expect(await call).toMatchObject({ runtimeName: 'x' });
    expect(reached).toEqual([{ timeoutMs: 800 }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets a delayed call pass its deadline', async () => {
    const { runtime, clock, reached } = faulty({ version: 'delay(200)' });
    const failure = rejectionOf(runtime.version({}, { timeoutMs: 50 }));
    await clock.advance(50);
    expect(await failure).toMatchObject({ code: StatusCode.DeadlineExceeded });
    expect([reached.length, clock.pendingTimers]).toEqual([0, 0]);
  });

  it.each<[string, 'version' | 'runPodSandbox' | 'stopContainer', object, number]>([
    ['two minutes', 'version', {}, 120_000],
    ['twice that for RunPodSandbox', 'runPodSandbox', {}, 240_000],
    ['the grace period on top for StopContainer', 'stopContainer', { timeout: 30n }, 150_000],
  ])('hangs until the deadline of the kubelet: %s', async (_what, rpc, request, deadlineMs) => {
    const { runtime, clock } = faulty({ [rpc]: 'hang' });
    const failure = rejectionOf(runtime[rpc](request));
    await clock.advance(deadlineMs - 1);
    expect(clock.pendingTimers).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await failure).toMatchObject({ code: StatusCode.DeadlineExceeded });
    expect(clock.pendingTimers).toBe(0);
  });

  it('hangs until the caller cancels', async () => {
    const { runtime, clock } = faulty({ version: 'hang' });
    const controller = new AbortController();
    const failure = rejectionOf(runtime.version({}, { signal: controller.signal, timeoutMs: 0 }));
    await clock.advance(3_600_000);
    controller.abort(new Error('enough'));
    expect(await failure).toMatchObject({ code: StatusCode.Canceled, message: 'enough' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('loses the reply after the effect', async () => {
    const { runtime, reached } = faulty({ startContainer: '1*lost' });
    const error = await rejectionOf(runtime.startContainer({ containerId: 'c' }));
    expect(error).toMatchObject({ code: StatusCode.Unavailable });
    expect((error as Error).message).toContain('StartContainer');
    expect(reached).toHaveLength(1);
  });

  it('crashes the runtime', async () => {
    const { runtime, reached, panics } = faulty({ version: '1*panic(nil map)' });
    expect(await rejectionOf(runtime.version({}))).toMatchObject({ code: StatusCode.Unavailable });
    expect([panics, reached.length]).toEqual([['nil map'], 0]);
  });

  it('applies faults to streams when they are first read', async () => {
    const { runtime, clock, reached } = faulty({ getContainerEvents: '1*error(x)->1*lost->1*delay(5)' });
    runtime.getContainerEvents({});
    expect(await rejectionOf(idsOf(runtime.getContainerEvents({})))).toMatchObject({ message: 'x' });
    expect(reached).toHaveLength(0);
    expect(await rejectionOf(idsOf(runtime.getContainerEvents({})))).toMatchObject({ code: StatusCode.Unavailable });
    expect(reached).toHaveLength(1);
    const delayed = idsOf(runtime.getContainerEvents({}));
    await clock.advance(5);
    expect(await delayed).toEqual(['a', 'b']);
    expect(await idsOf(runtime.getContainerEvents({}))).toEqual(['a', 'b']);
  });

  it('ends a hanging stream when the loop is left', async () => {
    const { runtime, clock } = faulty({ getContainerEvents: 'hang' });
    const events = runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const waiting = events.next();
    await clock.advance(3_600_000);
    await events.return!();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects invalid faults', () => {
    expect(() => faulty({ version: 'explode' })).toThrow(FailpointError);
    expect(() => faulty({ versoin: 'off' } as object)).toThrow('no RPC "versoin"');
  });
});
