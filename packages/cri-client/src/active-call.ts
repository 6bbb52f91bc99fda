import { type ChannelInterface, Metadata, status as grpcStatus } from '@grpc/grpc-js';
import type { Clock, Timer } from '@rxlet/component-base';
import { StatusCode } from '@rxlet/cri-api';
import type { CriError } from './cri-error.ts';
import {
  callCanceled,
  type CallStatus,
  type CallSubject,
  connectionLost,
  deadlineExceeded,
  statusError,
} from './status-error.ts';

/** A call to be made, and what to do with what comes of it. */
export interface CallInit {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly subject: CallSubject;
  readonly request: Buffer;
  /** `Infinity`: none. */
  readonly timeoutMs: number;
  /** Not aborted yet. */
  readonly signal: AbortSignal | undefined;
  /** A message that was asked for. */
  onMessage(message: Buffer): void;
  /** The call is over: with an error, or because the server sent all it had. Nothing is called any more. */
  onEnd(error: CriError | undefined): void;
}

/** A call under way. */
export interface ActiveCall {
  readonly subject: CallSubject;
  /** Whether it may have reached the runtime. */
  readonly sent: boolean;
  /** Asks for one more message. Until it comes, or the end, nothing may be asked for again. */
  read(): void;
  /** Ends the call with `error` and tells the server that nobody waits for it any more. */
  end(error: CriError): void;
}

/** What a call needs to know of its connection. */
export interface CallContext {
  readonly clock: Clock;
  readonly channel: ChannelInterface;
  /** The calls under way: bounded by what their callers wait for. */
  readonly activeCalls: Set<ActiveCall>;
  readonly ready: boolean;
  /** How many times the connection has been made: tells a call that never left from one whose connection broke. */
  readonly connectionCount: number;
  /** Finds out why there is no connection. */
  explainFailure(method: string): Promise<CriError>;
}

/**
 * Whether a status, come while there is no connection, is what grpc-js makes of that, and not the server's last word: `Unavailable`, or the reset of the
 * stream by a server that is dying.
 */
function isLocal({ code, details }: CallStatus): boolean {
  return (
    code === StatusCode.Unavailable ||
    (code === StatusCode.Canceled && details === 'Call cancelled') ||
    (code === StatusCode.Internal && details.startsWith('Received RST_STREAM'))
  );
}

/** All calls have the same metadata: none. */
const NO_METADATA = new Metadata();

/**
 * Sends a request and asks for the first message.
 *
 * The deadline is kept here, by the injected clock, and not by grpc-js, which knows the system's time only. The server learns of it when it passes, by
 * the cancellation of the call; the header that would announce it is not sent.
 */
export function startCall(context: CallContext, init: CallInit): ActiveCall {
  const { clock, activeCalls } = context;
  const { subject, timeoutMs, signal } = init;
  const readyAtStart = context.ready;
  const connectionCountAtStart = context.connectionCount;
  let ended = false;
  let timer: Timer | undefined;

  const finish = (error: CriError | undefined): void => {
    ended = true;
    timer?.[Symbol.dispose]();
    signal?.removeEventListener('abort', onAbort);
    activeCalls.delete(active);
    init.onEnd(error);
  };
  const onAbort = (): void => active.end(callCanceled(signal?.reason, subject, active.sent));
  const onStatus = (status: CallStatus): void => {
    if (ended) return;
    if (status.code === StatusCode.Ok) {
      finish(undefined);
    } else if (context.ready || !isLocal(status)) {
      finish(statusError(status, subject));
    } else if (active.sent) {
      finish(connectionLost(subject));
    } else {
      void context.explainFailure(subject.method).then((error) => {
        if (!ended) finish(error);
      });
    }
  };

  const call = context.channel.createCall(init.path, Infinity, null, null, null);
  const active: ActiveCall = {
    subject,
    get sent() {
      return readyAtStart || context.connectionCount !== connectionCountAtStart;
    },
    read: () => call.startRead(),
    end(error) {
      if (ended) return;
      finish(error);
      call.cancelWithStatus(grpcStatus.CANCELLED, 'canceled by the client');
    },
  };
  activeCalls.add(active);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (timeoutMs !== Infinity) {
    timer = clock.setTimer(timeoutMs, () => active.end(deadlineExceeded(timeoutMs, subject, active.sent)));
  }

  call.start(NO_METADATA, {
    onReceiveMetadata: () => undefined,
    onReceiveMessage(message: Buffer) {
      if (!ended) init.onMessage(message);
    },
    onReceiveStatus: onStatus,
  });
  call.startRead();
  call.sendMessageWithContext({}, init.request);
  call.halfClose();
  return active;
}
