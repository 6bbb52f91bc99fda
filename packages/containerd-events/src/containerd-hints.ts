import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  type Envelope,
  EnvelopeSchema,
  Events,
  SubscribeRequestSchema,
  TaskDeleteSchema,
  TaskExitSchema,
  TaskStartSchema,
} from '../gen/containerd/events/v1/events_pb.js';

/** Word that a container or sandbox has started or stopped. It fits the `HintSource` of @rxlet/pleg. */
export interface ContainerdHint {
  /** Id of the container or sandbox, as CRI has it. */
  readonly containerId: string;
  readonly kind: 'started' | 'stopped';
}

/** A source of hints. */
export interface ContainerdHints {
  /** For logs. */
  readonly name: string;
  /**
   * Subscribes, on a connection of its own, until `signal` aborts. It throws {@link EventsUnsupported} when there is no such service on the socket, and
   * gRPC's error when the connection is lost. What happens while nobody is subscribed is not told later.
   */
  open(signal: AbortSignal): AsyncIterable<ContainerdHint>;
}

/** Options of {@link containerdHints}. */
export interface ContainerdHintsOptions {
  /** The absolute path of containerd's socket: the one that CRI is served on. */
  readonly socketPath: string;
  /** The namespace of the CRI plugin. Default `k8s.io`. */
  readonly namespace?: string;
}

/** What serves this socket is not containerd. */
export class EventsUnsupported extends Error {
  override readonly name = 'EventsUnsupported';
  readonly reason = 'Unsupported';
}

const SUBSCRIBE = `/${Events.typeName}/Subscribe`;
/** A dead peer is noticed by a ping, which Go's servers allow every five minutes at most. */
const KEEP_ALIVE_MS = 6 * 60_000;

/**
 * Hints from containerd's own event service (`containerd.services.events.v1`), for versions whose CRI has no GetContainerEvents (before 1.7). An exit is
 * told by the shim before the CRI plugin has noted it, so who is told of one may have to look more than once.
 */
export function containerdHints({ socketPath, namespace = 'k8s.io' }: ContainerdHintsOptions): ContainerdHints {
  const request = create(SubscribeRequestSchema, {
    filters: [`topic~="^/tasks/(start|exit|delete)$",namespace==${JSON.stringify(namespace)}`],
  });
  return {
    name: 'events of containerd',
    async *open(signal) {
      signal.throwIfAborted();
      const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
        'grpc.keepalive_time_ms': KEEP_ALIVE_MS,
        // Whoever follows tries again by himself.
        'grpc.enable_retries': 0,
      });
      const call = client.makeServerStreamRequest(
        SUBSCRIBE,
        (message: typeof request) => Buffer.from(toBinary(SubscribeRequestSchema, message)),
        (bytes) => fromBinary(EnvelopeSchema, bytes),
        request,
        new Metadata(),
      );
      const cancel = (): void => call.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        for await (const envelope of call as AsyncIterable<Envelope>) {
          const hint = hintOf(envelope.topic, envelope.event?.value ?? new Uint8Array());
          if (hint !== undefined) yield hint;
        }
      } catch (error) {
        if (signal.aborted) return;
        throw isUnimplemented(error)
          ? new EventsUnsupported(`${socketPath} has no event service of containerd`, { cause: error })
          : error;
      } finally {
        signal.removeEventListener('abort', cancel);
        call.cancel();
        client.close();
      }
    },
  };
}

/** The hint that an event of a task gives, if any. The end of an exec in a container is none. */
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

function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && (error as Partial<ServiceError>).code === status.UNIMPLEMENTED;
}
