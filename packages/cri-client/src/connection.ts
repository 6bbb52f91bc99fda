import type { Socket } from 'node:net';
import { Channel, connectivityState } from '@grpc/grpc-js';
import { type Clock, errorMessage, type Logger, type Random, type Timer } from '@rxlet/component-base';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { Observable } from 'rxjs';
import { type ActiveCall, type CallContext, type CallInit, startCall } from './active-call.ts';
import { connectFailure } from './connect-failure.ts';
import type { ConnectionState } from './connection-state.ts';
import type { CriError } from './cri-error.ts';
import type { Endpoint } from './endpoint.ts';
import { createReconnectGate, type ReconnectOptions } from './reconnect-gate.ts';
import { createSocketCredentials } from '@rxlet/component-base/grpc-socket-credentials';
import type { SocketFinding, SocketProbe } from './socket-probe.ts';
import { clientClosed } from './status-error.ts';

/** Ports of {@link createConnection}. */
export interface ConnectionPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly socketProbe: SocketProbe;
}

/** Options of {@link createConnection}; their meanings and defaults are those of `CriClientOptions`. */
export interface ConnectionOptions extends ReconnectOptions {
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  readonly keepAliveIntervalMs: number;
}

/** One connection to one socket, for any number of services and concurrent calls. */
export interface Connection extends AsyncDisposable {
  readonly endpoint: Endpoint;
  readonly state$: Observable<ConnectionState>;
  readonly closed: boolean;
  /** Number of the current connection; `undefined` while there is none. */
  readonly epoch: number | undefined;
  /** Starts a call, which must not be done on a closed connection. */
  call(init: CallInit): ActiveCall;
}

/** Just under 25 days, the longest timer of Node.js. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates a {@link Connection}. It connects with the first call, and from then on stays connected or reconnects until it is disposed of. */
export function createConnection(ports: ConnectionPorts, endpoint: Endpoint, options: ConnectionOptions): Connection {
  const { clock, socketProbe } = ports;
  const logger = ports.logger.child({ endpoint: endpoint.url });
  const state = createCurrentValue<ConnectionState>({ kind: 'idle', sinceMs: clock.now() });
  const gate = createReconnectGate(clock, ports.random, options);
  const closing = new AbortController();
  const activeCalls = new Set<ActiveCall>();
  const sockets = new Set<Socket>();
  let handshakeTimer: Timer | undefined;
  let channelState = connectivityState.IDLE;
  let connectionCount = 0;
  let examination: Promise<SocketFinding> | undefined;

  const channel = new Channel(
    `unix:${endpoint.path}`,
    createSocketCredentials({ beforeConnect: () => gate.pass(), connected: awaitHandshake }),
    channelOptions(options),
  );
  const context: CallContext = {
    clock,
    channel,
    activeCalls,
    explainFailure,
    get ready() {
      return channelState === connectivityState.READY;
    },
    get connectionCount() {
      return connectionCount;
    },
  };
  watchChannel();

  function awaitHandshake(socket: Socket): void {
    if (closing.signal.aborted) {
      socket.destroy();
      return;
    }
    const timer = clock.setTimer(options.connectTimeoutMs, () => socket.destroy());
    handshakeTimer = timer;
    sockets.add(socket);
    socket.once('close', () => {
      timer[Symbol.dispose]();
      sockets.delete(socket);
    });
  }

  function watchChannel(): void {
    if (closing.signal.aborted) return;
    const previous = channelState;
    channelState = channel.getConnectivityState(false);
    channel.watchConnectivityState(channelState, Infinity, watchChannel);
    switch (channelState) {
      case connectivityState.READY:
        handshakeTimer?.[Symbol.dispose]();
        gate.succeeded();
        connectionCount++;
        logger.info(`connected to the ${endpoint.role.noun}`);
        state.set({ kind: 'ready', sinceMs: clock.now() });
        break;
      case connectivityState.TRANSIENT_FAILURE:
        // The channel stays in this state until an attempt succeeds.
        void explainFailure();
        break;
      case connectivityState.CONNECTING:
        if (state.value.kind !== 'connecting') state.set({ kind: 'connecting', sinceMs: clock.now() });
        break;
      case connectivityState.IDLE:
        // After a lost connection grpc-js waits for the next call; reconnect at once instead. Not within the callback, which runs amid the channel's own change
        // of state.
        if (previous !== connectivityState.IDLE) queueMicrotask(reconnect);
        break;
      case connectivityState.SHUTDOWN:
        break;
    }
  }

  function reconnect(): void {
    if (!closing.signal.aborted) channel.getConnectivityState(true);
  }

  /** Never rejects, because every failed call waits for the finding. */
  async function examineSocket(): Promise<SocketFinding> {
    try {
      return await socketProbe.examine(endpoint.path, closing.signal);
    } catch (error) {
      return { kind: 'failed', message: errorMessage(error) };
    }
  }

  /** Examines the socket, once for all calls that fail together, and records the finding. */
  async function explainFailure(method?: string): Promise<CriError> {
    examination ??= examineSocket().finally(() => (examination = undefined));
    const finding = await examination;
    if (finding.kind === 'answers') gate.retryNow();
    recordFinding(finding);
    return connectFailure(finding, endpoint, method);
  }

  function recordFinding(finding: SocketFinding): void {
    if (closing.signal.aborted || channelState !== connectivityState.TRANSIENT_FAILURE) return;
    const current = state.value;
    const error = connectFailure(finding, endpoint);
    if (current.kind === 'unavailable' && (current.error.kind === error.kind || finding.kind === 'answers')) return;
    logger.warn(error.message);
    state.set({ kind: 'unavailable', sinceMs: clock.now(), error });
  }

  async function close(): Promise<void> {
    closing.abort();
    gate.close(new Error('the client is closed'));
    for (const call of activeCalls) call.end(clientClosed(call.subject, call.sent));
    channel.close();
    await Promise.all(Array.from(sockets, destroySocket));
    state.complete();
  }

  let closed: Promise<void> | undefined;
  return {
    endpoint,
    state$: state.value$,
    get closed() {
      return closing.signal.aborted;
    },
    get epoch() {
      return channelState === connectivityState.READY ? connectionCount : undefined;
    },
    call: (init) => startCall(context, init),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

/** The cancellations need not reach the server: it cancels the calls of a closed connection. */
function destroySocket(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}

function channelOptions(options: ConnectionOptions): Record<string, string | number> {
  return {
    'grpc.default_authority': 'localhost',
    'grpc.max_receive_message_length': options.maxMessageBytes,
    'grpc.max_send_message_length': options.maxMessageBytes,
    'grpc.keepalive_time_ms': options.keepAliveIntervalMs,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.keepalive_permit_without_calls': 0,
    // An idle channel would wait for the next call, and in some versions did not reconnect even then (grpc-node#2748).
    'grpc.client_idle_timeout_ms': LONGEST_TIMER_MS,
    // The gate delays the attempts, so the delays of grpc-js must be minimal.
    'grpc.initial_reconnect_backoff_ms': 1,
    'grpc.max_reconnect_backoff_ms': 1,
    // Two clients of one socket share nothing, so that closing one does not affect the other.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    // Callers decide on retries; requests kept for them take some 4 % of the CPU of starting pods.
    'grpc.enable_retries': 0,
  };
}
