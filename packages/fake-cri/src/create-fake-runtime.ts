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
import type { ImageRegistry } from './images/image-registry.ts';
import type { HostFiles } from './fs/host-files.ts';
import { nodeHostFiles } from './fs/node-host-files.ts';
import { carryOut } from './faults/carry-out.ts';
import { concernedPod } from './faults/concerned-pod.ts';
import type { EventFaults } from './faults/event-faults.ts';
import { createFailpoints, type FailpointPlace, type SetFailpoint } from './faults/failpoints.ts';
import { failSandbox, loseContainer } from './faults/mishaps.ts';
import { createPower } from './faults/power.ts';
import { mutationFields } from './faults/mutation-fields.ts';
import { createFileLogs } from './logs/file-logs.ts';
import type { LogSink } from './logs/log-sink.ts';
import type { PodNetwork } from './network/pod-network.ts';
import { type FakeRuntimeOptions, resolveOptions } from './options.ts';
import { beginCall, type Call } from './rpc/call.ts';
import { checkpointRpc } from './rpc/checkpoint-rpc.ts';
import { containerRpcs } from './rpc/container-rpcs.ts';
import { imageRpcs } from './rpc/image-rpcs.ts';
import { type CallHooks, createPort, type RpcName } from './rpc/port.ts';
import { runningContainerRpcs } from './rpc/running-container-rpcs.ts';
import { runtimeRpcs } from './rpc/runtime-rpcs.ts';
import { sandboxResourcesRpc } from './rpc/sandbox-resources-rpc.ts';
import { sandboxRpcs } from './rpc/sandbox-rpcs.ts';
import { statsRpcs } from './rpc/stats-rpcs.ts';
import { streamingRpcs } from './rpc/streaming-rpcs.ts';
import { endScript } from './scripts/container-plan.ts';
import type { BehaviourScript } from './scripts/script.ts';
import type { ScriptTarget } from './scripts/script-store.ts';
import { createRuntimeState } from './runtime-state.ts';
import { createStateSaver, loadState, type StateSaver } from './state-file/save-and-restore.ts';
import type { StateStore } from './state-file/state-store.ts';
import type { OpenStream } from './streaming/stream-request.ts';
import { createStreamingServer } from './streaming/streaming-server.ts';

/** What a fake runtime needs. */
export interface FakeRuntimePorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Default: none. */
  readonly logger?: Logger;
  /** Where container logs go. Default: real files, as a runtime writes them, for containers whose sandbox has a log directory. */
  readonly logs?: LogSink;
  /** Keeps what exists while nothing runs: it is loaded at the start, and saved before a call that changes something is answered. Default: nothing. */
  readonly stateStore?: StateStore;
  /** The files behind the bind mounts of containers. Default: the machine's own, which programs in containers read and, where a mount is writable, write. */
  readonly hostFiles?: HostFiles;
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
  /** The ports that pods serve: reach them, or serve some on behalf of a pod. */
  readonly network: PodNetwork;
  /** The registry that images are pulled from, which may change while the runtime lives. */
  readonly registry: ImageRegistry;
  /** The streams of Exec, Attach and PortForward whose clients are connected at present. */
  streams(): readonly OpenStream[];
  /** What exists at present. */
  snapshot(): FakeRuntimeSnapshot;
  /**
   * Ends the program of a running container as if it had exited so; `reason` is that of the container status, e.g. `OOMKilled`.
   * Throws NotFound or FailedPrecondition when there is no such container or it does not run.
   */
  exitContainer(containerId: string, exitCode: number, reason?: string): void;
  /**
   * Sets how containers behave that are created from now on; `undefined` removes what was set. What is set for a container by name comes before
   * its annotation, and that before what is set for its image. Throws InvalidArgument, naming line and field, for a script that is not valid.
   */
  setScript(target: ScriptTarget, script: BehaviourScript | string | undefined): void;
  /** Lets the next call of `rpc` reject with `error`, without any effect. Several for one RPC come one after another. */
  failNext(rpc: RpcName, error: Error): void;
  /**
   * Lets the next calls of `rpc` suffer what `failpoint` says, in the notation of component-base's `parseFailpoint`: `2*error(unavailable: x)->delay(200)`.
   * It replaces what was set for the RPC at that place: before the call has had its effect (default), or after it, so that only the answer suffers. A
   * `panic` is {@link stop}. Pods set failpoints for their own calls by the annotations `fail.rxlet.dev/<RPC>` and `fail.rxlet.dev/<RPC>.after`.
   * Throws InvalidArgument when the text cannot be read.
   */
  setFailpoint(rpc: RpcName, failpoint: string, place?: FailpointPlace): void;
  /** Removes the failpoints that were set for an RPC, or all of them. */
  clearFailpoints(rpc?: RpcName): void;
  /** What is left of the failpoints that were set. */
  failpoints(): readonly SetFailpoint[];
  /** What goes wrong with events from now on; `{}` ends it. Throws InvalidArgument for a number that makes no sense. */
  setEventFaults(faults: EventFaults): void;
  /** The runtime forgets a container and its program, without an event; throws NotFound when there is none. */
  loseContainer(containerId: string): void;
  /** Turns a sandbox not ready, while its containers go on running; throws NotFound when there is none. */
  failSandbox(podSandboxId: string): void;
  /** Whether it answers: not between {@link stop} and {@link start}. */
  readonly running: boolean;
  /**
   * Stops the runtime, but not the containers, as when a real one's daemon is stopped: every call under way and made later rejects with Unavailable, and
   * streams end so. What happens to containers meanwhile causes no event.
   */
  stop(): void;
  /** Ends what {@link stop} began; everything is as the containers left it. */
  start(): void;
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
  const { clock, random, logger = noopLogger, logs = createFileLogs(logger), hostFiles = nodeHostFiles } = ports;
  const { stateStore } = ports;
  let saver: StateSaver | undefined;
  const onChange = (): void => saver?.touch();
  const state = createRuntimeState({ clock, random, logger, logs, hostFiles, onChange }, resolveOptions(options));
  if (stateStore !== undefined) {
    loadState(state, stateStore);
    saver = createStateSaver(state, stateStore);
  }
  const lifetime = createLifetime();
  const power = createPower(lifetime.signal);
  const streaming = createStreamingServer({ clock, random, signal: () => power.signal }, state.options.streaming);
  const failpoints = createFailpoints();
  const calls = new Map<RpcName, number>();
  const failures = new Map<RpcName, Error[]>();

  const carryOutChange = async (
    rpc: RpcName,
    request: unknown,
    call: Call,
    effect: () => unknown,
  ): Promise<unknown> => {
    const { latencyMs } = state.options;
    if (latencyMs > 0) await sleep(clock, latencyMs, call.signal);
    const answer = await effect();
    logger.debug(rpc, mutationFields(request, answer));
    if (saver !== undefined) {
      saver.touch();
      await saver.saved();
    }
    return answer;
  };

  const hooks: CallHooks = {
    begin(rpc, callOptions) {
      calls.set(rpc, (calls.get(rpc) ?? 0) + 1);
      const call = beginCall(clock, power.signal, callOptions);
      const failure = failures.get(rpc)?.shift();
      if (failure !== undefined) throw failure;
      return call;
    },
    carryOut(rpc, request, call, effect) {
      const pod = () => concernedPod(state, request);
      const next = (place: FailpointPlace) => failpoints.next(rpc, place, pod);
      const change = CHANGING_RPCS.has(rpc) ? () => carryOutChange(rpc, request, call, effect) : effect;
      return carryOut({ clock, next, crash: power.turnOff }, call, change);
    },
  };

  lifetime.defer(() => streaming[Symbol.asyncDispose]());
  lifetime.defer(() => state.network[Symbol.asyncDispose]());
  lifetime.defer(() => saver?.saved());
  lifetime.defer(() => state.events[Symbol.dispose]());
  lifetime.defer(() => {
    for (const container of state.containers.values()) {
      container.process?.abandon();
      endScript(container);
      for (const exec of container.execs) exec.abandon();
      container.log?.close();
    }
  });

  return {
    runtime: createPort(
      RuntimeServiceDescriptor,
      {
        ...runtimeRpcs(state),
        ...sandboxRpcs(state),
        ...containerRpcs(state),
        ...runningContainerRpcs(state),
        ...streamingRpcs(state, streaming),
        ...statsRpcs(state),
        ...checkpointRpc(state),
        ...sandboxResourcesRpc(state),
      },
      hooks,
    ) as RuntimeService,
    images: createPort(ImageServiceDescriptor, imageRpcs(state), hooks) as ImageService,
    calls,
    network: state.network,
    registry: state.images.registry,
    streams: () => streaming.streams(),
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
    setScript: (target, script) => state.scripts.set(target, script),
    failNext(rpc, error) {
      failures.set(rpc, [...(failures.get(rpc) ?? []), error]);
    },
    setFailpoint: (rpc, failpoint, place = 'before') => failpoints.set(rpc, failpoint, place),
    clearFailpoints: (rpc) => failpoints.clear(rpc),
    failpoints: () => failpoints.list(),
    setEventFaults: (faults) => state.events.setFaults(faults),
    loseContainer(containerId) {
      loseContainer(state, state.containers.get(containerId));
      onChange();
    },
    failSandbox: (podSandboxId) => failSandbox(state, state.sandboxes.get(podSandboxId)),
    get running() {
      return power.on;
    },
    stop: () => power.turnOff(),
    start: () => power.turnOn(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
