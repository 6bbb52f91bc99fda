import { create } from '@bufbuild/protobuf';
import { DeadlineExceededError, errorMessage, withDeadline } from '@rxlet/component-base';
import {
  ContainerState,
  ExecSyncResponseSchema,
  ReopenContainerLogResponseSchema,
  ServiceError,
  StatusCode,
  UpdateContainerResourcesResponseSchema,
} from '@rxlet/cri-api';
import { isRunning, stateName } from '../container.ts';
import type { Container } from '../runtime-objects.ts';
import type { OutputStream } from '../logs/log-line.ts';
import { startInContainer } from '../process/container-process.ts';
import { execProgram } from '../process/exec-program.ts';
import type { Process } from '../process/process.ts';
import { SIGKILL } from '../process/signals.ts';
import { mergeResources } from '../resources.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { RuntimeHandlers } from './port.ts';

/** Maximum size of each of the two outputs of an ExecSync: the limit that the kubelet expects of runtimes (16 MiB). The rest is dropped. */
const MAX_EXEC_OUTPUT = 16 * 1024 * 1024;

/** RPCs of running containers: ExecSync, ReopenContainerLog, UpdateContainerResources. */
export function runningContainerRpcs(state: RuntimeState): RuntimeHandlers {
  return {
    async execSync({ containerId, cmd, timeout }, call) {
      const container = getRunning(state, containerId);
      const output: Record<OutputStream, string> = { stdout: '', stderr: '' };
      const exec = startInContainer(state, container, execProgram(state, container, cmd), {
        argv: cmd,
        onStart: (process) => void container.execs.add(process),
        write: (stream, text) => {
          output[stream] = (output[stream] + text).slice(0, MAX_EXEC_OUTPUT);
        },
      });
      const { code } = await track(container, exec, () =>
        withDeadline(state.clock, timeout > 0n ? Number(timeout) * 1000 : Infinity, call.signal, () => exec.exited),
      );
      const encoder = new TextEncoder();
      return create(ExecSyncResponseSchema, {
        stdout: encoder.encode(output.stdout),
        stderr: encoder.encode(output.stderr),
        exitCode: code,
      });
    },
    reopenContainerLog({ containerId }) {
      const container = getRunning(state, containerId);
      try {
        container.log?.reopen();
      } catch (error) {
        throw new ServiceError(StatusCode.Internal, `failed to reopen the container log: ${errorMessage(error)}`, {
          cause: error,
        });
      }
      return create(ReopenContainerLogResponseSchema);
    },
    updateContainerResources({ containerId, linux }) {
      const container = state.containers.get(containerId);
      if (container.status.state === ContainerState.CONTAINER_EXITED) throw wrongState(container);
      if (linux !== undefined) {
        const { status } = container;
        container.status = { ...status, resources: mergeResources(status.resources, linux) };
      }
      return create(UpdateContainerResourcesResponseSchema);
    },
  };
}

function getRunning(state: RuntimeState, containerId: string): Container {
  const container = state.containers.get(containerId);
  if (!isRunning(container)) throw wrongState(container);
  return container;
}

function wrongState(container: Container): ServiceError {
  return new ServiceError(
    StatusCode.FailedPrecondition,
    `container "${container.id}" is in ${stateName(container)} state`,
  );
}

/** Ends `exec` with its container and with its call: neither a timeout nor a cancelled call leaves it running. */
async function track<T>(container: Container, exec: Process, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof DeadlineExceededError)) throw error;
    throw new ServiceError(
      StatusCode.DeadlineExceeded,
      `failed to exec in container: timeout of ${String(error.timeoutMs)} ms exceeded`,
    );
  } finally {
    container.execs.delete(exec);
    exec.signal(SIGKILL);
  }
}
