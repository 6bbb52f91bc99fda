import {
  type Clock,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  type Random,
  sleep,
} from '@rxlet/component-base';
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
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import { createStateSaver, type StateSaver, type StateStore } from '@rxlet/node-files/state-file';
import { createStreamingServer, type OpenStream } from '@rxlet/streaming';
import type { ImageRegistry } from './images/image-registry.ts';
import { createHostFiles, type HostFiles } from './fs/host-files.ts';
import { createCallLog, type RecordedCall } from './call-log.ts';
import { checkNames, checkOptions } from './check-options.ts';
import { carryOut } from './faults/carry-out.ts';
import { targetPod } from './faults/target-pod.ts';
import type { EventFaults } from './faults/event-faults.ts';
import { createFailpoints, type FailpointPlace, type SetFailpoint } from './faults/failpoints.ts';
import { failSandbox, loseContainer } from './faults/runtime-faults.ts';
import { createPower } from './faults/power.ts';
import { parseRpcName } from './faults/rpc-names.ts';
import { mutationFields } from './faults/mutation-fields.ts';
import { createMemoryLogs, type LogSink } from './logs/log-sink.ts';
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
import type { Container } from './runtime-objects.ts';
import { createRuntimeState } from './runtime-state.ts';
import { containerCpuNanoseconds, containerMemoryBytes } from './stats/container-stats.ts';
import { captureState, loadState } from './state-file/save-and-restore.ts';
import { formatSavedState } from './state-file/saved-state.ts';

/** Ports of a fake runtime. */
export interface FakeRuntimePorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Default: none. */
  readonly logger?: Logger;
  /** Destination of container logs. Default: memory. `createFileLogs` writes real files, as a runtime does. */
  readonly logs?: LogSink;
  /** Store of the runtime's state between runs. It is loaded at the start, and saved before each call with an effect is answered. Default: none. */
  readonly stateStore?: StateStore;
  /**
   * Files behind the bind mounts of containers, which programs read and, where a mount is writable, write. Default: memory. `createNodeHostFiles` gives them
   * the files of this machine.
   */
  readonly hostFiles?: HostFiles;
}

/** Objects of a fake runtime, oldest first. */
export interface FakeRuntimeSnapshot {
  readonly sandboxes: readonly PodSandboxStatus[];
  readonly containers: readonly (ContainerStatus & { readonly podSandboxId: string })[];
  readonly images: readonly ImageMessage[];
}

/** Resources that the containers of a runtime use. */
export interface FakeRuntimeUsage {
  /** CPU time from their starts on. That of a removed container is not in it. */
  readonly cpuNanoseconds: bigint;
  /** Working set of those that run. */
  readonly memoryBytes: bigint;
}

/**
 * A container runtime in memory. Both ports work in-process, without a socket.
 *
 * Messages in answers share the runtime's own: treat them as read-only. Unless a call gives a deadline, it has none. Disposing it ends all programs and
 * streams, and every pending or later call rejects with Unavailable.
 */
export interface FakeRuntime extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Progress of the pulls, by the clock. Reads reject with Unavailable while the runtime is stopped. */
  readonly pullProgress: PullProgressSource;
  /** Number of calls of each RPC so far, rejected calls included. */
  readonly calls: ReadonlyMap<RpcName, number>;
  /** Returns the last 1,000 calls, oldest first, with their times and outcomes; calls that a stopped runtime or `failNext` rejected are not among them. */
  callLog(): readonly RecordedCall[];
  /** The ports that pods serve: reach them, or serve some on behalf of a pod. */
  readonly network: PodNetwork;
  /** The registry that images are pulled from, which may change while the runtime lives. */
  readonly registry: ImageRegistry;
  /** The streams of Exec, Attach and PortForward with connected clients. */
  streams(): readonly OpenStream[];
  /** Returns the sandboxes, containers and images that exist. */
  snapshot(): FakeRuntimeSnapshot;
  /** Returns what all containers that exist use together, as of now. */
  usage(): FakeRuntimeUsage;
  /**
   * Ends the program of a running container as if it had exited by itself; `reason` is that of the container status, e.g. `OOMKilled`.
   * Throws NotFound or FailedPrecondition when there is no such container or it does not run.
   */
  exitContainer(containerId: string, exitCode: number, reason?: string): void;
  /**
   * Sets the behaviour script of containers that are created from now on; `undefined` removes it. A script for a container's name takes precedence over its
   * annotation, and that over one for its image. Throws InvalidArgument with line and field for an invalid script.
   */
  setScript(target: ScriptTarget, script: BehaviourScript | string | undefined): void;
  /** Makes the next call of `rpc` reject with `error`, without any effect. Several errors of one RPC apply to one call each. */
  failNext(rpc: RpcName, error: Error): void;
  /**
   * Applies a failpoint to the next calls of `rpc`, in the notation of component-base's `parseFailpoint`: `2*error(unavailable: x)->delay(200)`.
   * It replaces the RPC's failpoint at that place: before the effect of the call (default), or after it, so that only the response is affected. A
   * `panic` is {@link stop}. Pods set failpoints for their own calls by the annotations `fail.rxlet.dev/<RPC>` and `fail.rxlet.dev/<RPC>.after`.
   * Throws InvalidArgument for invalid text.
   */
  setFailpoint(rpc: RpcName, failpoint: string, place?: FailpointPlace): void;
  /** Removes the failpoints that were set for an RPC, or all of them. */
  clearFailpoints(rpc?: RpcName): void;
  /** Returns the failpoints that are not used up. */
  failpoints(): readonly SetFailpoint[];
  /** Sets the faults of further events; `{}` ends them. Throws InvalidArgument for a value out of range. */
  setEventFaults(faults: EventFaults): void;
  /** Removes a container and its program without an event, as a runtime that loses its record. Throws NotFound when there is none. */
  loseContainer(containerId: string): void;
  /** Turns a sandbox not ready, while its containers keep running; throws NotFound when there is none. */
  failSandbox(podSandboxId: string): void;
  /** Sets whether Status reports the network of pods as ready. Calls work in either case: agents must not create sandboxes without a network. */
  setNetworkReady(isReady: boolean): void;
  /** Reports whether the runtime answers: not between {@link stop} and {@link start}. */
  readonly running: boolean;
  /**
   * Stops the runtime, but not the containers, as when the daemon of a real one is stopped: every pending or later call rejects with Unavailable, as do
   * streams. Changes of containers meanwhile cause no events.
   */
  stop(): void;
  /** Starts a stopped runtime; its state is that of its containers. */
  start(): void;
}

/** RPCs to which the option `latencyMs` applies. */
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

/**
 * Creates a {@link FakeRuntime}. It is ready at once.
 *
 * @example
 * ```ts
 * import { seededRandom } from '@rxlet/component-base';
 * import { createVirtualClock } from '@rxlet/component-base/testing';
 * import { createFakeRuntime } from '@rxlet/fake-cri';
 *
 * await using fake = createFakeRuntime({ clock: createVirtualClock(), random: seededRandom(1) });
 * await fake.images.pullImage({ image: { image: 'busybox' } });
 * const { images } = await fake.images.listImages({});
 * ```
 */
export function createFakeRuntime(ports: FakeRuntimePorts, options: FakeRuntimeOptions = {}): FakeRuntime {
  const { clock, random, logger = noopLogger, logs = createMemoryLogs(), hostFiles = createHostFiles() } = ports;
  checkOptions(options);
  const { stateStore } = ports;
  let saver: StateSaver | undefined;
  const onChange = (): void => saver?.touch();
  const state = createRuntimeState({ clock, random, logger, logs, hostFiles, onChange }, resolveOptions(options));
  if (stateStore !== undefined) {
    loadState(state, stateStore);
    saver = createStateSaver(
      stateStore,
      () => formatSavedState(captureState(state)),
      (error) => logger.warn('the state cannot be saved', { error: errorMessage(error) }),
    );
  }
  const lifetime = createLifetime();
  const power = createPower(lifetime.signal);
  const streaming = createStreamingServer({ clock, random, signal: () => power.signal }, state.options.streaming);
  const failpoints = createFailpoints();
  const calls = new Map<RpcName, number>();
  const callLog = createCallLog(clock);
  const failures = new Map<RpcName, Error[]>();

  /** Entries of snapshots by their status, which is replaced on each change: tests take snapshots all the time. */
  const shown = new WeakMap<ContainerStatus, FakeRuntimeSnapshot['containers'][number]>();
  const shownContainer = ({ status, sandbox }: Container): FakeRuntimeSnapshot['containers'][number] => {
    let entry = shown.get(status);
    if (entry === undefined) {
      entry = { ...status, podSandboxId: sandbox.id };
      shown.set(status, entry);
    }
    return entry;
  };

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
      const pod = () => targetPod(state, request);
      const next = (place: FailpointPlace) => failpoints.next(rpc, place, pod);
      const change = CHANGING_RPCS.has(rpc) ? () => carryOutChange(rpc, request, call, effect) : effect;
      return callLog.record(rpc, request, () => carryOut({ clock, next, crash: power.turnOff }, call, change));
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
    pullProgress: {
      name: 'fake runtime',
      open: () => ({
        async read(pulls, signal) {
          beginCall(clock, power.signal, { signal });
          return state.images.readProgress(pulls, signal);
        },
        [Symbol.dispose]: () => undefined,
      }),
    },
    calls,
    callLog: () => callLog.list(),
    network: state.network,
    registry: state.images.registry,
    streams: () => streaming.streams(),
    snapshot: () => ({
      sandboxes: Array.from(state.sandboxes.values(), (sandbox) => sandbox.status),
      containers: Array.from(state.containers.values(), shownContainer),
      images: Array.from(state.images.values(), (image) => image.message),
    }),
    usage() {
      const now = state.timestamps();
      let [cpuNanoseconds, memoryBytes] = [0n, 0n];
      for (const container of state.containers.values()) {
        cpuNanoseconds += containerCpuNanoseconds(container, now);
        memoryBytes += containerMemoryBytes(container, now);
      }
      return { cpuNanoseconds, memoryBytes };
    },
    exitContainer(containerId, exitCode, reason) {
      const { process } = state.containers.get(containerId);
      if (process === undefined)
        throw new ServiceError(StatusCode.FailedPrecondition, `container "${containerId}" does not run`);
      process.exit(reason === undefined ? { code: exitCode } : { code: exitCode, reason });
    },
    setScript(target, script) {
      checkNames('field of a script target', target, 'image' in target ? ['image'] : ['container', 'pod']);
      state.scripts.set(target, script);
    },
    failNext(name, error) {
      const rpc = parseRpcName(name);
      failures.set(rpc, [...(failures.get(rpc) ?? []), error]);
    },
    setFailpoint(rpc, failpoint, place = 'before') {
      checkNames('place of a failpoint', { [place]: true }, ['before', 'after']);
      failpoints.set(parseRpcName(rpc), failpoint, place);
    },
    clearFailpoints: (rpc) => failpoints.clear(rpc === undefined ? undefined : parseRpcName(rpc)),
    failpoints: () => failpoints.list(),
    setEventFaults: (faults) => state.events.setFaults(faults),
    loseContainer(containerId) {
      loseContainer(state, state.containers.get(containerId));
      onChange();
    },
    failSandbox: (podSandboxId) => failSandbox(state, state.sandboxes.get(podSandboxId)),
    setNetworkReady: (isReady) => void (state.isNetworkReady = isReady),
    get running() {
      return power.on;
    },
    stop: () => power.turnOff(),
    start: () => power.turnOn(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
