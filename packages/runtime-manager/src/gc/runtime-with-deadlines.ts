import { type Clock, withDeadline } from '@rxlet/component-base';
import type { CallOptions, RuntimeService } from '@rxlet/cri-api';

type UnaryCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

const LIMITED: ReadonlySet<string | symbol> = new Set<keyof RuntimeService>([
  'listContainers',
  'listPodSandbox',
  'containerStatus',
  'podSandboxStatus',
  'stopContainer',
  'removeContainer',
  'stopPodSandbox',
  'removePodSandbox',
]);

/**
 * Returns a runtime whose calls reject after their own `timeoutMs`, or else after this one, even if the client ignores timeouts. A stuck container therefore
 * does not block the removal of others.
 */
export function runtimeWithDeadlines(runtime: RuntimeService, clock: Clock, timeoutMs: number): RuntimeService {
  return new Proxy(runtime, {
    get(target, name) {
      const call = Reflect.get(target, name) as UnaryCall;
      if (!LIMITED.has(name)) return call;
      return (request: unknown, options: CallOptions = {}) => {
        const limitMs = options.timeoutMs ?? timeoutMs;
        return withDeadline(clock, limitMs, options.signal, (signal) =>
          call.call(target, request, { ...options, signal, timeoutMs: limitMs }),
        );
      };
    },
  });
}
