import { create, fromBinary } from '@bufbuild/protobuf';
import { type Clock, onAbort } from '@rxlet/component-base';
import {
  type Envelope,
  EnvelopeSchema,
  Events,
  SubscribeRequestSchema,
  TaskDeleteSchema,
  TaskExitSchema,
  TaskStartSchema,
} from '../../gen/containerd/events/v1/events_pb.js';
import { isUnimplementedCall, openContainerdChannel } from './containerd-channel.ts';

/** Notice that a container or sandbox has started or stopped. */
export interface ContainerdHint {
  /** Id of the container or sandbox, as in CRI. */
  readonly containerId: string;
  readonly kind: 'started' | 'stopped';
}

/** A source of hints. It has the type of the `HintSource` of @rxlet/pleg. */
export interface ContainerdHints {
  /** Name for logs. */
  readonly name: string;
  /** Always true: containerd sends each event to every subscriber, unlike the CRI events before containerd 2.0. */
  readonly isComplete: true;
  /**
   * Subscribes on a connection of its own until `signal` aborts. Events from before the subscription are not delivered.
   * @throws EventsUnsupported when the socket has no such service
   * @throws ContainerdTimeout when containerd does not answer on a new connection
   * @throws the gRPC error when the connection is lost
   */
  open(signal: AbortSignal): ContainerdHintStream;
}

/** Hints of one subscription. */
export interface ContainerdHintStream extends AsyncIterable<ContainerdHint> {
  /** Resolves when containerd has answered on the connection; never rejects. */
  readonly connected: Promise<void>;
}

/** Options of {@link containerdHints}. */
export interface ContainerdHintsOptions {
  /** Absolute path of containerd's socket, which also serves CRI. */
  readonly socketPath: string;
  /** Namespace of the CRI plugin. Default `k8s.io`. */
  readonly namespace?: string;
  /** Timeout of the handshake on a new connection. Default: 5 s. */
  readonly connectTimeoutMs?: number;
}

/** Error of a socket that does not serve containerd's event service. */
export class EventsUnsupported extends Error {
  override readonly name = 'EventsUnsupported';
  readonly reason = 'Unsupported';
}

/** Error of a containerd that accepts connections and does not answer. */
export class ContainerdTimeout extends Error {
  override readonly name = 'ContainerdTimeout';
}

const SUBSCRIBE = {
  path: `/${Events.typeName}/Subscribe`,
  request: SubscribeRequestSchema,
  response: EnvelopeSchema,
};

/**
 * Creates a source of hints from containerd's own event service (`containerd.services.events.v1`). The shim announces an exit before the CRI plugin has recorded
 * it, so the subscriber may have to list the container more than once.
 */
export function containerdHints(ports: { readonly clock: Clock }, options: ContainerdHintsOptions): ContainerdHints {
  const { socketPath, namespace = 'k8s.io', connectTimeoutMs = 5000 } = options;
  const request = create(SubscribeRequestSchema, {
    filters: [`topic~="^/tasks/(start|exit|delete)$",namespace==${JSON.stringify(namespace)}`],
  });
  async function* subscribe(signal: AbortSignal, onConnected: () => void): AsyncGenerator<ContainerdHint> {
    signal.throwIfAborted();
    using channel = openContainerdChannel(socketPath);
    const call = channel.serverStream(SUBSCRIBE, request);
    using _listener = onAbort(signal, () => call.cancel());
    let hasTimedOut = false;
    using handshake = ports.clock.setTimer(connectTimeoutMs, () => {
      hasTimedOut = true;
      call.cancel();
    });
    channel.client.waitForReady(Infinity, (error) => {
      if (error !== undefined) return;
      handshake[Symbol.dispose]();
      onConnected();
    });
    try {
      for await (const envelope of call as AsyncIterable<Envelope>) {
        const hint = hintOf(envelope.topic, envelope.event?.value ?? new Uint8Array());
        if (hint !== undefined) yield hint;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (hasTimedOut) {
        const timeout = `no answer within ${String(connectTimeoutMs)} ms`;
        throw new ContainerdTimeout(`cannot connect to containerd at ${socketPath}: ${timeout}`, { cause: error });
      }
      throw isUnimplementedCall(error)
        ? new EventsUnsupported(`${socketPath} has no event service of containerd`, { cause: error })
        : error;
    } finally {
      call.cancel();
    }
  }

  return {
    name: 'containerd events',
    isComplete: true,
    open(signal) {
      const connected = Promise.withResolvers<void>();
      return { connected: connected.promise, [Symbol.asyncIterator]: () => subscribe(signal, connected.resolve) };
    },
  };
}

/** Returns the hint that a task event gives; `undefined` for other events, such as the end of an exec. */
export function hintOf(topic: string, event: Uint8Array): ContainerdHint | undefined {
  switch (topic) {
    case '/tasks/start':
      return { containerId: fromBinary(TaskStartSchema, event).containerId, kind: 'started' };
    case '/tasks/exit':
      return stopped(fromBinary(TaskExitSchema, event));
    case '/tasks/delete':
      return stopped(fromBinary(TaskDeleteSchema, event));
    default:
      return undefined;
  }
}

function stopped({ containerId, id }: { containerId: string; id: string }): ContainerdHint | undefined {
  return id === '' || id === containerId ? { containerId, kind: 'stopped' } : undefined;
}
