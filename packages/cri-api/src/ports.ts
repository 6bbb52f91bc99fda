import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import type {
  ImageService as ImageServiceDescriptor,
  MessagesByTypeName,
  RuntimeService as RuntimeServiceDescriptor,
} from '../gen/runtime/v1/messages.js';

/** Options of a call of a port. */
export interface CallOptions {
  /** Cancels the call when it aborts: the promise rejects, an iteration ends with an error. */
  signal?: AbortSignal | undefined;
  /**
   * Deadline of the call in milliseconds, counted from its start. `0` or `Infinity`: none. Unset: the implementation's default
   * (the kubelet's `runtimeRequestTimeout`, two minutes; none for streams).
   */
  timeoutMs?: number | undefined;
  /** Metadata for the runtime, by names in lower case, such as the W3C trace context. Implementations in the same process ignore them. Default: none. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The fields of a message as plain data. The message itself has this type, and so has an object literal of its fields. */
export type PlainMessage<M extends DescMessage> = MessageShape<M>['$typeName'] extends keyof MessagesByTypeName
  ? MessagesByTypeName[MessageShape<M>['$typeName']]
  : never;

/** A unary RPC as a plain async method. The request may be a message or an object of the set fields; the response has all fields. */
export type UnaryCall<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
  options?: CallOptions,
) => Promise<PlainMessage<O>>;

/** A server-streaming RPC. Nothing is sent before the first `next()`; leaving the loop cancels the call. */
export type ServerStreamingCall<I extends DescMessage, O extends DescMessage> = (
  request: MessageInitShape<I>,
  options?: CallOptions,
) => AsyncIterable<PlainMessage<O>>;

/** Derives a port from a service's descriptor, so that the port can never differ from the proto file. */
type Port<S> =
  S extends GenService<infer M extends GenServiceMethods>
    ? {
        [K in keyof M]: M[K] extends {
          methodKind: 'unary';
          input: infer I extends DescMessage;
          output: infer O extends DescMessage;
        }
          ? UnaryCall<I, O>
          : M[K] extends {
                methodKind: 'server_streaming';
                input: infer I extends DescMessage;
                output: infer O extends DescMessage;
              }
            ? ServerStreamingCall<I, O>
            : never;
      }
    : never;

/**
 * The runtime half of CRI v1: sandboxes, containers, exec and streaming, statistics, events (35 RPCs, six of them streaming).
 *
 * A gRPC connection, an in-memory fake, a recorder and a fault injector all implement this same port. Responses are plain data, so that an object literal
 * of the fields is one. A failed call rejects with an error that carries the gRPC status code in a numeric `code` property (see {@link callErrorCode}).
 */
export type RuntimeService = Port<typeof RuntimeServiceDescriptor>;

/** The image half of CRI v1 (6 RPCs, one of them streaming); otherwise as {@link RuntimeService}. */
export type ImageService = Port<typeof ImageServiceDescriptor>;

/** Descriptor of a method of either port. */
export type PortMethod = DescMethodUnary | DescMethodServerStreaming;
