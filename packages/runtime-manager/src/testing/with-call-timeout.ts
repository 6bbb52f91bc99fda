import { type CallOptions, ImageServiceDescriptor, type ImageService, type RuntimeService } from '@rxlet/cri-api';
import { RuntimeServiceDescriptor } from '@rxlet/cri-api';

type AnyCall = (request: unknown, options?: CallOptions) => unknown;

const { pullImage: _unlimited, ...imageMethods } = ImageServiceDescriptor.method;
const unary = new Set(
  Object.entries({ ...RuntimeServiceDescriptor.method, ...imageMethods })
    .filter(([, { methodKind }]) => methodKind === 'unary')
    .map(([name]) => name),
);

/** Wraps a port with a default timeout for its unary calls, like a real client. Image pulls have no default timeout. */
export function withCallTimeout<T extends RuntimeService | ImageService>(port: T, timeoutMs: number): T {
  const limited = new Map<string | symbol, AnyCall>();
  return new Proxy(port, {
    get(target, name) {
      const known = limited.get(name);
      if (known !== undefined) return known;
      const call = Reflect.get(target, name) as AnyCall;
      if (!unary.has(String(name))) return call;
      const method: AnyCall = (request, options = {}) =>
        (Reflect.get(target, name) as AnyCall)(request, {
          ...options,
          timeoutMs: options.timeoutMs ?? timeoutMs,
        });
      limited.set(name, method);
      return method;
    },
  });
}
