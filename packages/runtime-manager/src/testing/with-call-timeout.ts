import { type CallOptions, ImageServiceDescriptor, type ImageService, type RuntimeService } from '@rxlet/cri-api';
import { RuntimeServiceDescriptor } from '@rxlet/cri-api';

type AnyCall = (request: unknown, options?: CallOptions) => unknown;

const methods = Object.keys({ ...RuntimeServiceDescriptor.method, ...ImageServiceDescriptor.method });
const { pullImage: _unlimited, ...imageMethods } = ImageServiceDescriptor.method;
const unary = new Set(
  Object.entries({ ...RuntimeServiceDescriptor.method, ...imageMethods })
    .filter(([, { methodKind }]) => methodKind === 'unary')
    .map(([name]) => name),
);

/** Wraps a port with a default timeout for its unary calls, like a real client. Image pulls have no default timeout. */
export function withCallTimeout<T extends RuntimeService | ImageService>(port: T, timeoutMs: number): T {
  const source = port as unknown as Record<string, AnyCall>;
  const limited: Record<string, AnyCall> = {};
  for (const name of methods) {
    if (typeof source[name] !== 'function') continue;
    // Looked up at each call, since tests replace methods.
    limited[name] = unary.has(name)
      ? (request, options = {}) => source[name]!(request, { ...options, timeoutMs: options.timeoutMs ?? timeoutMs })
      : (request, options) => source[name]!(request, options);
  }
  return limited as unknown as T;
}
