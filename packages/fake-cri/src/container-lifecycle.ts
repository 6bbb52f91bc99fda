import { create } from '@bufbuild/protobuf';
import { DeadlineExceededError, errorMessage, withDeadline } from '@rxlet/component-base';
import {
  type ContainerConfig,
  ContainerConfigSchema,
  ContainerState,
  ServiceError,
  StatusCode,
  type Mount,
  MountPropagation,
} from '@rxlet/cri-api';
import { copyMessage } from './copy-message.ts';
import { containerName, createContainer, isRunning, markExited, markRunning, stateName } from './container.ts';
import type { Container, Sandbox } from './runtime-objects.ts';
import { publishEvent } from './events.ts';
import { openLogWriter } from './logs/log-writer.ts';
import { resolveImageVolumes } from './images/image-volumes.ts';
import { containerCommand, startInContainer } from './process/container-process.ts';
import type { Exit } from './process/process.ts';
import { type Program, runUntilStopped } from './process/program.ts';
import { resolveProgram } from './process/resolve-program.ts';
import { criSignalNumber, SIGKILL } from './process/signals.ts';
import { newId, type RuntimeState } from './runtime-state.ts';
import { isReady } from './sandbox.ts';
import { containerCpuNanoseconds } from './stats/container-stats.ts';
import { beginScript, containerPlan, endScript } from './scripts/container-plan.ts';
import { replacesCommand } from './scripts/plan.ts';
import { scriptedProgram } from './scripts/scripted-program.ts';
import { webServerProgram } from './scripts/web-server-images.ts';

/**
 * CreateContainer. Throws InvalidArgument without metadata or image and for an invalid user or mount, FailedPrecondition when the sandbox is not ready, NotFound when
 * the image or that of a mount is not present, and AlreadyExists while another container of the pod has the name and attempt.
 */
export function addContainer(state: RuntimeState, sandbox: Sandbox, config: ContainerConfig | undefined): Container {
  if (config?.metadata === undefined)
    throw new ServiceError(StatusCode.InvalidArgument, 'the container config has no metadata');
  if (config.image === undefined)
    throw new ServiceError(StatusCode.InvalidArgument, 'the container config has no image');
  if (!isReady(sandbox)) throw notReady(sandbox);
  const name = containerName(sandbox, config);
  state.containers.checkNameIsFree(name);
  const image = state.images.find(config.image.image);
  if (image === undefined) throw new ServiceError(StatusCode.NotFound, `image "${config.image.image}" not found`);
  // The caller may change its request afterwards.
  const cloned = copyMessage(create(ContainerConfigSchema, config));
  checkMounts(cloned.mounts);
  const ownConfig = { ...cloned, mounts: resolveImageVolumes(state.images, cloned.mounts) };
  const plan = containerPlan(state, sandbox, config, image);
  const container = createContainer(
    newId(state),
    name,
    sandbox,
    ownConfig,
    image,
    state.timestamps(sandbox.status.createdAt),
    plan,
  );
  state.containers.add(container);
  sandbox.containers.set(container.id, container);
  publishEvent(state, 'CREATED', sandbox, container.id);
  return container;
}

/**
 * StartContainer. Throws FailedPrecondition when it was started before or its sandbox is not ready. When its log cannot be opened it throws
 * Internal, and the container has exited with code 128 and reason `StartError`, as in containerd.
 */
export function startContainer(state: RuntimeState, container: Container): void {
  if (container.status.state !== ContainerState.CONTAINER_CREATED) {
    throw new ServiceError(
      StatusCode.FailedPrecondition,
      `container "${container.id}" is in ${stateName(container)} state`,
    );
  }
  if (!isReady(container.sandbox)) throw notReady(container.sandbox);
  const { logPath } = container.status;
  try {
    if (logPath !== '') container.log = openLogWriter(state.logs, logPath, () => state.timestamps());
  } catch (error) {
    const message = `failed to open the container log: ${errorMessage(error)}`;
    markExited(container, { code: 128, reason: 'StartError', message }, state.timestamps(container.status.createdAt));
    publishEvent(state, 'STOPPED', container.sandbox, container.id);
    throw new ServiceError(StatusCode.Internal, message, { cause: error });
  }
  markRunning(container, state.timestamps(container.status.createdAt));
  publishEvent(state, 'STARTED', container.sandbox, container.id);
  runProgram(state, container);
}

/**
 * Resumes a container that ran when its runtime's state was saved: with the same id and times, and its program from the start. Its log is appended to; when
 * that cannot be opened the container runs without it.
 */
export function resumeContainer(state: RuntimeState, container: Container): void {
  const { logPath } = container.status;
  try {
    if (logPath !== '') container.log = openLogWriter(state.logs, logPath, () => state.timestamps());
  } catch (error) {
    state.logger.warn('a container continues without its log', { container: container.id, error: errorMessage(error) });
  }
  runProgram(state, container);
}

function runProgram(state: RuntimeState, container: Container): void {
  startInContainer(state, container, programOf(state, container), {
    argv: containerCommand(container),
    stdin: container.input,
    write: (stream, text) => container.log?.write(stream, text),
    onStart: (process) => void (container.process = process),
    onExit: (exit) => onExit(state, container, exit),
  });
  beginScript(state, container);
}

/**
 * StopContainer: sends the stop signal, waits for the program to end, and kills it when it has not ended within `timeoutMs`; with `0` it is killed
 * at once. Rejects with the reason of `signal` when that aborts the wait; the program has received its signal then, but is not killed.
 */
export async function stopContainer(
  state: RuntimeState,
  container: Container,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { process } = container;
  if (process !== undefined && timeoutMs > 0) {
    process.signal(criSignalNumber(container.status.stopSignal));
    try {
      if (isRunning(container)) await withDeadline(state.clock, timeoutMs, signal, () => process.exited);
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
    }
  }
  killContainer(container);
}

/** Sends SIGKILL; does nothing when the container does not run. */
export function killContainer(container: Container): void {
  container.process?.signal(SIGKILL);
}

/** RemoveContainer: kills a running container first, as the CRI demands. Its log stays, as it belongs to the caller. */
export function removeContainer(state: RuntimeState, container: Container): void {
  killContainer(container);
  container.sandbox.removedCpuNanoseconds += containerCpuNanoseconds(container, state.timestamps());
  state.containers.delete(container);
  container.sandbox.containers.delete(container.id);
  publishEvent(state, 'DELETED', container.sandbox, container.id);
}

function onExit(state: RuntimeState, container: Container, exit: Exit): void {
  container.process = undefined;
  endScript(container);
  for (const exec of container.execs) exec.signal(SIGKILL);
  container.log?.close();
  container.log = undefined;
  markExited(container, exit, state.timestamps(container.status.startedAt));
  publishEvent(state, 'STOPPED', container.sandbox, container.id);
}

/** Returns the program of a container; an unknown program runs until it is stopped. */
function programOf(state: RuntimeState, container: Container): Program {
  if (container.plan !== undefined && replacesCommand(container.plan)) return scriptedProgram(container.plan);
  const command = containerCommand(container);
  try {
    const withoutBuiltIn = (name: string): Program => webServerProgram(name) ?? runUntilStopped;
    const program = resolveProgram(command, (name, context) => withoutBuiltIn(name)(context));
    return program ?? withoutBuiltIn(command[0] ?? '');
  } catch (error) {
    state.logger.warn('a container runs until it is stopped, because its script is beyond the built-in shell', {
      container: container.id,
      command,
      error: errorMessage(error),
    });
    return runUntilStopped;
  }
}

function notReady(sandbox: Sandbox): ServiceError {
  return new ServiceError(StatusCode.FailedPrecondition, `sandbox "${sandbox.id}" is not ready`);
}

/** Checks the mounts of a container by the rules of containerd. Throws InvalidArgument, for which containerd's code is Unknown. */
function checkMounts(mounts: readonly Mount[]): void {
  for (const { containerPath, image, readonly, recursiveReadOnly, propagation } of mounts) {
    const reject = (problem: string): never => {
      throw new ServiceError(StatusCode.InvalidArgument, `mount "${containerPath}": ${problem}`);
    };
    if (recursiveReadOnly && !readonly) reject('recursive_read_only requires readonly');
    if (recursiveReadOnly && propagation !== MountPropagation.PROPAGATION_PRIVATE)
      reject(`recursive_read_only requires private propagation, not ${MountPropagation[propagation]}`);
    if (image !== undefined && image.image !== '' && !readonly) reject('an image volume must be readonly');
  }
}
