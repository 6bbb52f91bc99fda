import { create } from '@bufbuild/protobuf';
import {
  AttachResponseSchema,
  ExecResponseSchema,
  PortForwardResponseSchema,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { StreamingServer } from '@rxlet/streaming';
import { isRunning, stateName } from '../container.ts';
import type { Container } from '../runtime-objects.ts';
import { HOST_IP } from '../network/pod-network.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady } from '../sandbox.ts';
import { attachContainer } from '../streaming/attach-container.ts';
import { execInContainer } from '../streaming/exec-in-container.ts';
import { createOutputTaps } from '../streaming/output-taps.ts';
import type { RuntimeHandlers } from './port.ts';

/** Maximum number of ports: each has two channels, and the number of a channel is one byte. */
const MAX_FORWARDED_PORTS = 128;

/** Exec, Attach, PortForward: each checks its request and returns the URL at which `server` accepts the client. */
export function streamingRpcs(state: RuntimeState, server: StreamingServer): RuntimeHandlers {
  const taps = createOutputTaps();
  return {
    async exec({ containerId, cmd, tty, stdin, stdout, stderr }) {
      checkStreams({ tty, stdin, stdout, stderr });
      if (cmd.length === 0) throw new ServiceError(StatusCode.InvalidArgument, 'cmd cannot be empty');
      const container = getRunning(state, containerId);
      const url = await server.urlFor({
        kind: 'exec',
        container: container.id,
        tty,
        stdin,
        stdout,
        stderr,
        run: (streams) => execInContainer(state, container, { cmd: [...cmd], tty }, streams),
      });
      return create(ExecResponseSchema, { url });
    },
    async attach({ containerId, tty, stdin, stdout, stderr }) {
      checkStreams({ tty, stdin, stdout, stderr });
      const container = getRunning(state, containerId);
      const input = stdin ? container.input : undefined;
      const url = await server.urlFor({
        kind: 'attach',
        container: container.id,
        tty,
        stdin,
        stdout,
        stderr,
        // A container without stdin has no reader: as in containerd, the client's input is dropped.
        run: (streams) => attachContainer(taps, container, streams, input),
      });
      return create(AttachResponseSchema, { url });
    },
    async portForward({ podSandboxId, port }) {
      if (port.length > MAX_FORWARDED_PORTS) {
        const message = `${String(port.length)} ports were given: over WebSocket there must be at most ${String(MAX_FORWARDED_PORTS)}`;
        throw new ServiceError(StatusCode.InvalidArgument, message);
      }
      const wrong = port.find((number) => number < 1 || number > 65_535);
      if (wrong !== undefined) throw new ServiceError(StatusCode.InvalidArgument, `${String(wrong)} is not a port`);
      const sandbox = state.sandboxes.get(podSandboxId);
      if (!isReady(sandbox)) {
        throw new ServiceError(StatusCode.FailedPrecondition, `sandbox "${sandbox.id}" is not ready`);
      }
      const url = await server.urlFor({
        kind: 'portforward',
        pod: sandbox.id,
        ports: [...port],
        dial: (number) => state.network.dial(sandbox.ip ?? HOST_IP, number),
      });
      return create(PortForwardResponseSchema, { url });
    },
  };
}

/** Checks the flags of Exec and Attach as the CRI demands. */
function checkStreams(flags: { tty: boolean; stdin: boolean; stdout: boolean; stderr: boolean }): void {
  const { tty, stdin, stdout, stderr } = flags;
  if (tty && stderr) throw new ServiceError(StatusCode.InvalidArgument, 'tty and stderr cannot both be true');
  if (!stdin && !stdout && !stderr) {
    throw new ServiceError(StatusCode.InvalidArgument, 'one of stdin, stdout, or stderr must be set');
  }
}

function getRunning(state: RuntimeState, containerId: string): Container {
  const container = state.containers.get(containerId);
  if (isRunning(container)) return container;
  throw new ServiceError(
    StatusCode.FailedPrecondition,
    `container "${container.id}" is in ${stateName(container)} state`,
  );
}
