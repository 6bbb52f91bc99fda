import { seededRandom, systemClock } from '@rxlet/component-base';
import type { VirtualClock } from '@rxlet/component-base/testing';
import { filter, firstValueFrom, type Observable } from 'rxjs';
import type { ConnectionState } from '../connection-state.ts';
import { type CriClient, type CriClientOptions, type CriClientPorts, createCriClient } from '../create-cri-client.ts';
import { CriError } from '../cri-error.ts';

/** Creates a client of the socket at `path` that reconnects within milliseconds, by default on the system's clock. */
export function testClient(
  path: string,
  ports: Partial<CriClientPorts> = {},
  options: Partial<CriClientOptions> = {},
): CriClient {
  return createCriClient(
    { clock: systemClock, random: seededRandom(1), ...ports },
    { endpoint: `unix://${path}`, initialReconnectDelayMs: 5, maxReconnectDelayMs: 20, ...options },
  );
}

/** Returns the error of a failed call. */
export async function failureOf(call: Promise<unknown>): Promise<CriError> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof CriError) return outcome;
  throw new Error('the call did not fail with a CriError', { cause: outcome });
}

/** Resolves when the connection is in the given state. */
export function stateIs<K extends ConnectionState['kind']>(
  state$: Observable<ConnectionState>,
  kind: K,
): Promise<Extract<ConnectionState, { kind: K }>> {
  return firstValueFrom(
    state$.pipe(filter((state): state is Extract<ConnectionState, { kind: K }> => state.kind === kind)),
  );
}

/**
 * Waits until the client pauses before the next attempt to connect. That is a moment of real time after the last attempt failed, which grpc-js does not
 * report.
 */
export async function untilReconnectIsDue(clock: VirtualClock): Promise<void> {
  while (clock.pendingTimers === 0) await clock.settle();
}
