import type { DescService, Message } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type ImageService,
  ImageServiceDescriptor,
  type PortMethod,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';

/** The two ports of a container runtime: of a client, a fake, a decorator. */
export interface CriServices {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** A method of the ports: `runPodSandbox`, `pullImage`, … */
export type RpcName = keyof RuntimeService | keyof ImageService;

/** An RPC, from its descriptor. */
export interface Rpc {
  /** Full name of its service. */
  readonly service: string;
  readonly method: PortMethod;
}

// One function serves all methods, so that their message types are not known here.
/** A unary method of any port. */
export type AnyUnary = (request: object, options?: CallOptions) => Promise<Message>;
/** A server-streaming method of any port. */
export type AnyStreaming = (request: object, options?: CallOptions) => AsyncIterable<Message>;

/** Creates the methods of a port. */
export interface PortMaker {
  unary(rpc: Rpc, of: keyof CriServices): AnyUnary;
  streaming(rpc: Rpc, of: keyof CriServices): AnyStreaming;
}

/** Creates both ports, a method for each RPC. The ports' types are derived from the same descriptors, which makes the assertions right. */
export function makeServices(maker: PortMaker): CriServices {
  const port = (service: DescService, of: keyof CriServices): unknown => {
    const methods: Record<string, unknown> = {};
    for (const descriptor of service.methods) {
      const rpc: Rpc = { service: service.typeName, method: descriptor as PortMethod };
      methods[descriptor.localName] =
        descriptor.methodKind === 'unary' ? maker.unary(rpc, of) : maker.streaming(rpc, of);
    }
    return methods;
  };
  return {
    runtime: port(RuntimeServiceDescriptor, 'runtime') as RuntimeService,
    images: port(ImageServiceDescriptor, 'images') as ImageService,
  };
}

/** Wraps each method: it receives that of the inner ports and returns that of the outer ones. */
export interface Decorator {
  unary(rpc: Rpc, next: AnyUnary): AnyUnary;
  streaming(rpc: Rpc, next: AnyStreaming): AnyStreaming;
}

/** Applies a {@link Decorator} to both ports. */
export function decorateServices(services: CriServices, decorator: Decorator): CriServices {
  // Looked up at each call, and called on its port, which may be an instance of a class.
  const below = ({ method }: Rpc, of: keyof CriServices) => {
    const port = services[of] as unknown as Record<string, (request: object, options?: CallOptions) => unknown>;
    return (request: object, options?: CallOptions): unknown => port[method.localName]!(request, options);
  };
  return makeServices({
    unary: (rpc, of) => decorator.unary(rpc, below(rpc, of) as AnyUnary),
    streaming: (rpc, of) => decorator.streaming(rpc, below(rpc, of) as AnyStreaming),
  });
}
