import { type ChannelInterface, Metadata, status as grpcStatus } from '@grpc/grpc-js';
import { type Clock, onAbort, type Timer } from '@rxlet/component-base';
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

/** A call to start, with its callbacks. */
export interface CallInit {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly subject: CallSubject;
  readonly request: Buffer;
  /** `Infinity`: none. */
  readonly timeoutMs: number;
  /** Not aborted yet. */
  readonly signal: AbortSignal | undefined;
  /** Metadata of the call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Receives a message that was requested. */
  onMessage(message: Buffer): void;
  /** Called last, with the error, or without one when the server has sent everything. */
  onEnd(error: CriError | undefined): void;
}

/** A call in flight. */
export interface ActiveCall {
  readonly subject: CallSubject;
  /** Whether it may have reached the runtime. */
  readonly sent: boolean;
  /** Requests one more message. It must not be called again before that message or the end. */
  read(): void;
  /** Ends the call with `error` and cancels it at the server. */
  end(error: CriError): void;
}

/** Connection as a call sees it. */
export interface CallContext {
  readonly clock: Clock;
  readonly channel: ChannelInterface;
  /** Calls in flight, bounded by their callers. */
  readonly activeCalls: Set<ActiveCall>;
  readonly ready: boolean;
  /** Number of connections made so far. It distinguishes a call that was never sent from one whose connection broke. */
  readonly connectionCount: number;
  /** Returns the reason why there is no connection. */
  explainFailure(method: string): Promise<CriError>;
}

/**
 * Reports whether a status without a connection comes from grpc-js, and not from the server: `Unavailable`, or the reset of the stream by a server that is
 * shutting down.
 */
function isLocal({ code, details }: CallStatus): boolean {
  return (
    code === StatusCode.Unavailable ||
    (code === StatusCode.Canceled && details === 'Call cancelled') ||
    (code === StatusCode.Internal && details.startsWith('Received RST_STREAM'))
  );
}

/** Metadata of calls without any. */
const NO_METADATA = new Metadata();

function metadataOf(headers: CallInit['headers']): Metadata {
  if (headers === undefined) return NO_METADATA;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

/**
 * Sends a request and requests the first message.
 *
 * The injected clock keeps the deadline, not grpc-js, which uses only the system's time. No deadline header is sent; the server sees a cancellation when the
 * deadline passes.
 */
export function startCall(context: CallContext, init: CallInit): ActiveCall {
  const { clock, activeCalls } = context;
  const { subject, timeoutMs, signal } = init;
  const readyAtStart = context.ready;
  const connectionCountAtStart = context.connectionCount;
  let ended = false;
  let timer: Timer | undefined;
  let listener: Disposable | undefined = undefined;

  const finish = (error: CriError | undefined): void => {
    ended = true;
    timer?.[Symbol.dispose]();
    listener?.[Symbol.dispose]();
    activeCalls.delete(active);
    init.onEnd(error);
  };
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
  listener = onAbort(signal, (reason) => active.end(callCanceled(reason, subject, active.sent)));
  if (timeoutMs !== Infinity) {
    timer = clock.setTimer(timeoutMs, () => active.end(deadlineExceeded(timeoutMs, subject, active.sent)));
  }

  call.start(metadataOf(init.headers), {
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
