import { type Clock, onAbort, sleep } from '@rxlet/component-base';
import type { FailpointAction } from '@rxlet/component-base/failpoint';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Call } from '../rpc/call.ts';
import type { FailpointPlace } from './failpoints.ts';

/** Ports of {@link carryOut}. */
export interface CarryOutPorts {
  readonly clock: Clock;
  /** Returns the action of a failpoint at a place. */
  next(place: FailpointPlace): FailpointAction | undefined;
  /** Crashes the runtime. */
  crash(message: string): void;
}

/**
 * Runs `effect`, the effect of a call, with the faults that were set for the call. Without a fault it only calls `effect`, in the same turn.
 *
 * An error or a hang before the effect prevents it; after it they hide it from the caller, who cannot distinguish the two.
 */
export function carryOut(ports: CarryOutPorts, call: Call, effect: () => unknown): unknown {
  const before = ports.next('before');
  const carriedOut = before === undefined || before.kind === 'off' ? effect() : withFault(ports, before, call, effect);
  return carriedOut instanceof Promise
    ? carriedOut.then((answer: unknown) => afterEffect(ports, call, answer))
    : afterEffect(ports, call, carriedOut);
}

function afterEffect(ports: CarryOutPorts, call: Call, answer: unknown): unknown {
  const after = ports.next('after');
  return after === undefined || after.kind === 'off' ? answer : withFault(ports, after, call, () => answer);
}

async function withFault(
  { clock, crash }: CarryOutPorts,
  action: FailpointAction,
  call: Call,
  effect: () => unknown,
): Promise<unknown> {
  switch (action.kind) {
    case 'off':
      return effect();
    case 'error':
      throw new ServiceError(action.code, action.message);
    case 'delay':
      await sleep(clock, action.ms, call.signal);
      return effect();
    case 'hang':
      return new Promise((_resolve, reject) => onAbort(call.signal, reject));
    case 'lose-reply':
      await effect();
      // As a gRPC client reports a connection that is lost before the answer.
      throw new ServiceError(StatusCode.Unavailable, 'the connection was lost before the reply came');
    case 'panic':
      crash(action.message);
      throw new ServiceError(StatusCode.Unavailable, `the runtime has crashed: ${action.message}`);
  }
}
