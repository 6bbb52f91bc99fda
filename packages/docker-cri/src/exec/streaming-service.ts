import { type RuntimeServiceDescriptor, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { StreamingServer } from '@rxlet/streaming';
import type { Backend } from '../backend.ts';
import type { DockerContainer } from '../engine/docker-types.ts';
import type { Handlers } from '../rpc/port.ts';
import { type CommandOptions, streamAttach, streamExec } from './command-streams.ts';

/** Handlers of Exec, Attach and PortForward, which return the URL of a stream. */
export function streamingHandlers(
  backend: Backend,
  streaming: StreamingServer,
): Handlers<typeof RuntimeServiceDescriptor> {
  const { containers, host } = backend;
  const running = async (id: string, signal: AbortSignal): Promise<DockerContainer> => {
    const container = await containers.inspect('container', id, signal);
    if (container.State.Running) return container;
    throw new ServiceError(StatusCode.FailedPrecondition, `container "${container.Id}" does not run`);
  };
  return {
    async exec(request, signal) {
      checkStreams(request);
      const { Id: containerId } = await running(request.containerId, signal);
      const { tty, stdin, stdout, stderr, cmd } = request;
      const options = { containerId, tty, stdin, stdout, stderr };
      const url = await streaming.urlFor({
        kind: 'exec',
        container: containerId,
        ...options,
        run: (streams) => streamExec(backend, options, cmd, streams),
      });
      return { url };
    },
    async attach(request, signal) {
      checkStreams(request);
      const { Id: containerId, Config } = await running(request.containerId, signal);
      const { stdin, stdout, stderr } = request;
      // Whether there is a terminal is the container's property.
      const options = { containerId, tty: Config.Tty, stdin, stdout, stderr };
      const url = await streaming.urlFor({
        kind: 'attach',
        container: containerId,
        ...options,
        tty: request.tty,
        run: (streams) => streamAttach(backend, options, streams),
      });
      return { url };
    },
    async portForward({ podSandboxId, port: ports }, signal) {
      const { Id } = await containers.inspect('podsandbox', podSandboxId, signal);
      const dial = async (port: number) => {
        // Looked up for each connection, since a process id may be used again.
        const { State, HostConfig } = await containers.inspect('podsandbox', Id);
        if (!State.Running) throw new Error(`sandbox "${Id}" does not run`);
        return HostConfig.NetworkMode === 'host' ? host.connectOnHost(port) : host.connectInNamespace(State.Pid, port);
      };
      return { url: await streaming.urlFor({ kind: 'portforward', pod: Id, ports, dial }) };
    },
  };
}

function checkStreams({ tty, stdin, stdout, stderr }: Omit<CommandOptions, 'containerId'>): void {
  const fail = (message: string): never => {
    throw new ServiceError(StatusCode.InvalidArgument, message);
  };
  if (!stdin && !stdout && !stderr) fail('one of stdin, stdout, or stderr must be set');
  if (tty && stderr) fail('tty and stderr cannot both be true');
}
