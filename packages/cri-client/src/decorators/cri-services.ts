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

/** An RPC as its descriptor tells it. */
export interface Rpc {
  /** Full name of its service. */
  readonly service: string;
  readonly method: PortMethod;
}

// Inside, where one function serves all methods, their message types are not known.
/** A unary method of any port. */
export type AnyUnary = (request: object, options?: CallOptions) => Promise<Message>;
/** A server-streaming method of any port. */
export type AnyStreaming = (request: object, options?: CallOptions) => AsyncIterable<Message>;

/** Makes the methods of a port. */
export interface PortMaker {
  unary(rpc: Rpc, of: keyof CriServices): AnyUnary;
  streaming(rpc: Rpc, of: keyof CriServices): AnyStreaming;
}

/** Makes both ports, a method for each RPC. The ports' types are derived from the same descriptors, which makes the assertions right. */
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

/** What a decorator does with each method: it gets the one of the ports below and gives the one for those above. */
export interface Decorator {
  unary(rpc: Rpc, next: AnyUnary): AnyUnary;
  streaming(rpc: Rpc, next: AnyStreaming): AnyStreaming;
}

/** Puts a {@link Decorator} over both ports. */
export function decorateServices(services: CriServices, decorator: Decorator): CriServices {
  // Looked up with each call, and called on its port, which may be an object of a class.
  const below = ({ method }: Rpc, of: keyof CriServices) => {
    const port = services[of] as unknown as Record<string, (request: object, options?: CallOptions) => unknown>;
    return (request: object, options?: CallOptions): unknown => port[method.localName]!(request, options);
  };
  return makeServices({
    unary: (rpc, of) => decorator.unary(rpc, below(rpc, of) as AnyUnary),
    streaming: (rpc, of) => decorator.streaming(rpc, below(rpc, of) as AnyStreaming),
  });
}
