import { whenTrue } from '@rxlet/component-base/streams';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { create } from '@bufbuild/protobuf';
import { type RuntimeService, ServiceError, StatusCode, StatusResponseSchema } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createRuntimeState } from './runtime-state.ts';

type Conditions = readonly { type: string; status: boolean; reason?: string; message?: string }[];

const READY: Conditions = [
  { type: 'RuntimeReady', status: true },
  { type: 'NetworkReady', status: true },
];

function setUp(first: Conditions | Error | 'hang' = READY) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const answer = { value: first };
  let calls = 0;
  const runtime: Pick<RuntimeService, 'status'> = {
    status: () => {
      calls += 1;
      const { value } = answer;
      if (value === 'hang') return new Promise(() => undefined);
      if (value instanceof Error) return Promise.reject(value);
      return Promise.resolve(create(StatusResponseSchema, { status: { conditions: [...value] } }));
    },
  };
  return { clock, logger, answer, state: createRuntimeState({ runtime, clock, logger }), calls: () => calls };
}

describe('createRuntimeState', () => {
  it('reports an unknown state before the first status, and requests one every five seconds', async () => {
    const { clock, state, calls } = setUp();
    expect(state.runtimeProblem()).toBe('container runtime status check may not have completed yet');
    expect(state.networkProblem()).toBe('network state unknown');
    state.start();
    state.start();
    await whenTrue(state.isKnown);
    expect(state.runtimeProblem()).toBeUndefined();
    expect(state.networkProblem()).toBeUndefined();
    await clock.advance(20_000);
    expect(calls()).toBe(5);
    await state[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports the reasons and messages of the conditions', async () => {
    const { clock, state, answer } = setUp([
      { type: 'RuntimeReady', status: true },
      { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'cni plugin not initialized' },
    ]);
    await using _ = state;
    state.start();
    await clock.settle();
    expect(state.runtimeProblem()).toBeUndefined();
    expect(state.networkProblem()).toBe(
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
    );
    answer.value = [{ type: 'NetworkReady', status: true }];
    await clock.advance(5_000);
    expect(state.networkProblem()).toBeUndefined();
    expect(state.runtimeProblem()).toBe('container runtime not ready: <nil>');
    answer.value = READY;
    await clock.advance(5_000);
    expect(state.runtimeProblem()).toBeUndefined();
  });

  it.each([
    ['rejects the call', new ServiceError(StatusCode.Unavailable, 'gone'), 25_000],
    ['hangs', 'hang' as const, 25_000],
  ])('reports a runtime that %s as down after 30 seconds', async (_title, answered, laterMs) => {
    const { clock, state, answer, logger } = setUp();
    await using _ = state;
    state.start();
    await clock.settle();
    answer.value = answered;
    await clock.advance(laterMs);
    expect(state.runtimeProblem()).toBeUndefined();
    await clock.advance(6_000);
    expect(state.runtimeProblem()).toBe('container runtime is down');
    // Logged once, not each time.
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    answer.value = READY;
    await clock.advance(20_000);
    expect(state.runtimeProblem()).toBeUndefined();
  });

  it('counts as known after the timeout of the first request', async () => {
    const { clock, state } = setUp('hang');
    await using _ = state;
    state.start();
    await clock.advance(14_999);
    expect(state.isKnown.value).toBe(false);
    await clock.advance(1);
    expect(state.isKnown.value).toBe(true);
    expect(state.runtimeProblem()).toBe('container runtime status check may not have completed yet');
  });
});
