import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { type Clock, DeadlineExceededError, withDeadline } from '@rxlet/component-base';
import { PluginCallError } from './plugin-call-error.ts';

/** Carries one call to the server of a socket. Rejects with {@link PluginCallError}, or with the signal's reason. */
export type Transport = <I extends DescMessage, O extends DescMessage>(
  socketPath: string,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  signal: AbortSignal,
) => Promise<MessageShape<O>>;

/** Ports and target of {@link callPlugin}. */
export interface PluginCallTarget {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly socketPath: string;
}

/** Time and cancellation of a call. */
export interface PluginCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Calls a method of a plugin. Rejects with `DeadlineExceeded` when there is no answer in time. */
export async function callPlugin<I extends DescMessage, O extends DescMessage>(
  { clock, transport, socketPath }: PluginCallTarget,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  options: PluginCallOptions,
): Promise<MessageShape<O>> {
  return withCallDeadline(clock, options, (signal) => transport(socketPath, method, request, signal));
}

/** Makes a call, and rejects with `DeadlineExceeded` when it has no answer in time. */
export async function withCallDeadline<T>(
  clock: Clock,
  { timeoutMs, signal }: PluginCallOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(clock, timeoutMs, signal, call);
  } catch (error) {
    if (error instanceof DeadlineExceededError)
      throw new PluginCallError('DeadlineExceeded', 'context deadline exceeded', { cause: error });
    throw error;
  }
}
