import { type Clock, createLifetime, type Logger, noopLogger, type Random, sleep } from '@rxlet/component-base';
import {
  type ContainerStatus,
  type Image as ImageMessage,
  type ImageService,
  ImageServiceDescriptor,
  type PodSandboxStatus,
  type RuntimeService,
  RuntimeServiceDescriptor,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { createFileLogs } from './logs/file-logs.ts';
import type { LogSink } from './logs/log-sink.ts';
import { type FakeRuntimeOptions, resolveOptions } from './options.ts';
import { beginCall } from './rpc/call.ts';
import { containerRpcs } from './rpc/container-rpcs.ts';
import { imageRpcs } from './rpc/image-rpcs.ts';
import { type CallHooks, createPort, type RpcName } from './rpc/port.ts';
import { runningContainerRpcs } from './rpc/running-container-rpcs.ts';
import { runtimeRpcs } from './rpc/runtime-rpcs.ts';
import { sandboxRpcs } from './rpc/sandbox-rpcs.ts';
import { createRuntimeState } from './runtime-state.ts';

/** What a fake runtime needs. */
export interface FakeRuntimePorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Default: none. */
  readonly logger?: Logger;
  /** Where container logs go. Default: real files, as a runtime writes them, for containers whose sandbox has a log directory. */
  readonly logs?: LogSink;
}

/** All that exists in a fake runtime, the oldest first. */
export interface FakeRuntimeSnapshot {
  readonly sandboxes: readonly PodSandboxStatus[];
  readonly containers: readonly ContainerStatus[];
  readonly images: readonly ImageMessage[];
}

/**
 * A container runtime in memory. Both ports work in-process, without a socket.
 *
 * Messages in answers share the runtime's own: treat them as read-only. Unless a call gives a deadline, it has none. Disposing it ends all programs and
 * streams, and every call under way or made later rejects with Unavailable.
 */
export interface FakeRuntime extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** How often each RPC was called so far, refused calls included. */
  readonly calls: ReadonlyMap<RpcName, number>;
  /** What exists at present. */
  snapshot(): FakeRuntimeSnapshot;
  /**
   * Ends the program of a running container as if it had exited so; `reason` is that of the container status, e.g. `OOMKilled`.
   * Throws NotFound or FailedPrecondition when there is no such container or it does not run.
   */
  exitContainer(containerId: string, exitCode: number, reason?: string): void;
  /** Lets the next call of `rpc` reject with `error`, without any effect. Several for one RPC come one after another. */
  failNext(rpc: RpcName, error: Error): void;
}

/** The RPCs that take as long as the option `latencyMs` says. */
const CHANGING_RPCS: ReadonlySet<RpcName> = new Set<RpcName>([
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'updateContainerResources',
  'updatePodSandboxResources',
  'checkpointContainer',
  'pullImage',
  'removeImage',
]);

/** Creates a {@link FakeRuntime}. It is ready at once. */
export function createFakeRuntime(ports: FakeRuntimePorts, options: FakeRuntimeOptions = {}): FakeRuntime {
  const { clock, random, logger = noopLogger, logs = createFileLogs(logger) } = ports;
  const state = createRuntimeState({ clock, random, logger, logs }, resolveOptions(options));
  const lifetime = createLifetime();
  const calls = new Map<RpcName, number>();
  const failures = new Map<RpcName, Error[]>();

  const hooks: CallHooks = {
    begin(rpc, callOptions) {
      calls.set(rpc, (calls.get(rpc) ?? 0) + 1);
      const call = beginCall(clock, lifetime.signal, callOptions);
      const failure = failures.get(rpc)?.shift();
      if (failure !== undefined) throw failure;
      return call;
    },
    delay(rpc, call) {
      const { latencyMs } = state.options;
      return latencyMs > 0 && CHANGING_RPCS.has(rpc) ? sleep(clock, latencyMs, call.signal) : undefined;
    },
  };

  lifetime.defer(() => {
    for (const container of state.containers.values()) {
      container.process?.abandon();
      for (const exec of container.execs) exec.abandon();
      container.log?.close();
    }
  });

  return {
    runtime: createPort(
      RuntimeServiceDescriptor,
      { ...runtimeRpcs(state), ...sandboxRpcs(state), ...containerRpcs(state), ...runningContainerRpcs(state) },
      hooks,
    ) as RuntimeService,
    images: createPort(ImageServiceDescriptor, imageRpcs(state), hooks) as ImageService,
    calls,
    snapshot: () => ({
      sandboxes: Array.from(state.sandboxes.values(), (sandbox) => sandbox.status),
      containers: Array.from(state.containers.values(), (container) => container.status),
      images: Array.from(state.images.values(), (image) => image.message),
    }),
    exitContainer(containerId, exitCode, reason) {
      const { process } = state.containers.get(containerId);
      if (process === undefined)
        throw new ServiceError(StatusCode.FailedPrecondition, `container "${containerId}" does not run`);
      process.exit(reason === undefined ? { code: exitCode } : { code: exitCode, reason });
    },
    failNext(rpc, error) {
      failures.set(rpc, [...(failures.get(rpc) ?? []), error]);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
