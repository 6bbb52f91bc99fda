import { onAbort } from '@rxlet/component-base';
import type { CallOptions, ImageService, RuntimeService } from '@rxlet/cri-api';
import type { KubeTransport } from '@rxlet/kube-client';
import { agentKilled, type AgentLife } from './agent-life.ts';

/** Wraps a runtime port for an agent that can be killed: at the end of its life, calls in flight are cancelled, and no later call or answer gets through. */
export function killablePort<T extends RuntimeService | ImageService>(port: T, life: AgentLife): T {
  return wrapMethods(port, (call, name) => {
    if (STREAMS.has(name)) {
      return (request: unknown, options: CallOptions = {}) => {
        if (!life.enter()) throw agentKilled();
        const signal = options.signal === undefined ? life.signal : AbortSignal.any([options.signal, life.signal]);
        return call(request, { ...options, signal });
      };
    }
    return async (request: unknown, options: CallOptions = {}) => {
      if (!life.enter()) throw agentKilled();
      // Not AbortSignal.any, which is slow, since agents call all the time.
      const controller = new AbortController();
      const abort = (reason: unknown): void => controller.abort(reason);
      const [cancelled, killed] = [onAbort(options.signal, abort), onAbort(life.signal, abort)];
      try {
        return await whileAlive(life, call(request, { ...options, signal: controller.signal }) as Promise<unknown>);
      } finally {
        cancelled[Symbol.dispose]();
        killed[Symbol.dispose]();
      }
    };
  });
}

type Method = (...args: never[]) => unknown;

/** Wraps the methods of a port. Each wrapper is made once, since agents call them all the time, and calls the method that the port has at that moment. */
function wrapMethods<T extends object>(
  port: T,
  wrap: (call: (...args: unknown[]) => unknown, name: string | symbol) => Method,
): T {
  const wrapped = new Map<string | symbol, Method>();
  return new Proxy(port, {
    get(target, name) {
      const known = wrapped.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = (...args: unknown[]): unknown =>
        (Reflect.get(target, name) as (...args: unknown[]) => unknown).apply(target, args);
      const method = wrap(call, name);
      wrapped.set(name, method);
      return method;
    },
  });
}

/** Wraps a connection to an API server for an agent that can be killed: requests in flight and watches break at the end of its life. */
export function killableTransport(transport: KubeTransport, life: AgentLife): KubeTransport {
  return {
    async send(request) {
      if (!life.enter()) throw agentKilled();
      const response = await transport.send({ ...request, signal: AbortSignal.any([request.signal, life.signal]) });
      life.signal.throwIfAborted();
      return response;
    },
  };
}

/** Methods that return a stream. */
const STREAMS: ReadonlySet<string | symbol> = new Set(['getContainerEvents', 'streamImages']);

/** Methods that return at once and change nothing. */
const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set(['problem', 'watch']);

/** Wraps files, mounts or cgroups for an agent that can be killed, with everything that they open. What is open can still be closed after the end of its life. */
export function killableFiles<T extends object>(port: T, life: AgentLife): T {
  return wrapMethods(port, (call, name) => {
    // `await using` of Node 24 rejects a bound function.
    if (typeof name === 'symbol' || SYNCHRONOUS.has(name)) return call;
    return (...args: unknown[]) => {
      if (!life.enter()) return Promise.reject(agentKilled());
      const result = call(...args);
      return result instanceof Promise ? whileAlive(life, result) : result;
    };
  });
}

/** Returns the value of a call that was begun in a life. Closes what a call opened that ends after the end. */
async function whileAlive(life: AgentLife, result: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await result;
  } finally {
    life.leave();
  }
  if (life.signal.aborted && isOpen(value)) await value[Symbol.asyncDispose]();
  life.signal.throwIfAborted();
  return isOpen(value) ? killableFiles(value, life) : value;
}

function isOpen(value: unknown): value is AsyncDisposable {
  return typeof value === 'object' && value !== null && Symbol.asyncDispose in value;
}
