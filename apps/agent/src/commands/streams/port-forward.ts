import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { errorMessage, onAbort } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { connectPortForward, type PortForwarder } from '@rxlet/streaming/client';
import { UsageError } from '../../config/config-error.ts';
import { AgentConnectionError } from '../agent-connection.ts';
import { findPod } from '../find-pod.ts';
import { listenOnAddresses, type ListenAddress, parseAddresses } from './listen-addresses.ts';
import { parsePortSpec, type PortSpec } from './port-specs.ts';
import type { StreamCommandContext } from './stream-context.ts';
import { explained } from './stream-session.ts';

/** Options of {@link portForwardCommand}. */
export interface PortForwardOptions {
  readonly pod: string;
  readonly namespace: string;
  /** Ports as `LOCAL:REMOTE`, `REMOTE` or `:REMOTE`. */
  readonly ports: readonly string[];
  /** Addresses to listen on, separated by commas. */
  readonly address: string;
}

/**
 * Runs `rxlet port-forward`, as `kubectl port-forward` does it, until it is interrupted or the agent is gone. Each local connection has a connection of its own to the
 * runtime, so that a client that does not read holds back no other.
 * @throws AgentConnectionError when the pod does not run, the agent rejects the stream or no port can be listened on
 */
export async function portForwardCommand(context: StreamCommandContext, options: PortForwardOptions): Promise<void> {
  const { connection, terminal } = context;
  if (options.ports.length === 0) throw new UsageError('at least 1 PORT is required for port-forward');
  const addresses = parseAddresses(options.address);
  const pod = await findPod(connection, options.pod, options.namespace, terminal.signal);
  const specs = options.ports.map((text) => parsePortSpec(text, pod));
  if (pod.status?.phase !== 'Running') {
    const phase = pod.status?.phase ?? '';
    throw new AgentConnectionError(`unable to forward port because pod is not running. Current status=${phase}`);
  }
  await using disposables = new AsyncDisposableStack();
  // Shows at once whether the pod can be reached, and later that the agent is gone.
  const main = disposables.use(await openForwarder(context, pod));
  let listening = 0;
  for (const spec of specs) {
    try {
      disposables.use(await listen(context, pod, spec, addresses));
      listening += 1;
    } catch (error) {
      terminal.printError(`Unable to listen on port ${String(spec.local)}: ${errorMessage(error)}`);
    }
  }
  if (listening === 0) {
    const list = options.ports.join(' ');
    throw new AgentConnectionError(`unable to listen on any of the requested ports: [${list}]`);
  }
  await aborted(AbortSignal.any([terminal.signal, main.signal]));
  if (!terminal.signal.aborted) throw new AgentConnectionError('lost connection to pod');
}

async function listen(
  context: StreamCommandContext,
  pod: Pod,
  { local, remote }: PortSpec,
  addresses: readonly ListenAddress[],
): Promise<AsyncDisposable> {
  const { terminal } = context;
  const sockets = new Set<Socket>();
  const listeners = await listenOnAddresses(addresses, local, (socket, port) => {
    terminal.print(`Handling connection for ${String(port)}`);
    socket.on('error', () => undefined);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    forward(context, pod, remote, socket).catch((error: unknown) => {
      socket.destroy();
      if (terminal.signal.aborted) return;
      terminal.printError(`an error occurred forwarding ${String(port)} -> ${String(remote)}: ${errorMessage(error)}`);
    });
  });
  for (const bound of listeners.bound) terminal.print(`Forwarding from ${bound} -> ${String(remote)}`);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await listeners[Symbol.asyncDispose]();
    },
  };
}

/** Forwards one local connection. Rejects with the reason of the runtime when the pod cannot be reached. */
async function forward(context: StreamCommandContext, pod: Pod, remote: number, socket: Socket): Promise<void> {
  await using forwarder = await openForwarder(context, pod);
  const { data, failure } = await forwarder.dial(remote);
  const copied = Promise.allSettled([pipeline(socket, data, { end: true }), pipeline(data, socket, { end: true })]);
  const message = await Promise.race([failure, copied.then(() => failure)]);
  if (message !== undefined) throw new Error(message);
  await copied;
}

async function openForwarder(
  { connection, clock, terminal }: StreamCommandContext,
  { metadata }: Pod,
): Promise<PortForwarder> {
  const parts = [metadata?.namespace ?? '', metadata?.name ?? ''];
  const address = connection.streamAddress(`/portForward/${parts.map(encodeURIComponent).join('/')}`);
  return explained(connection, connectPortForward(address, { clock, signal: terminal.signal }));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => onAbort(signal, () => resolve()));
}
