import { type Random, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import {
  type CallOptions,
  ContainerState,
  type ContainerStatus,
  type ImageService,
  type RuntimeService,
} from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime, type FakeRuntimeOptions } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, PodLabel } from '@rxlet/pod-model';
import { createManualSource, defaultPod, type ManualSource } from '@rxlet/pod-source';
import { createPodProbeNetwork } from '@rxlet/prober/testing';
import { createMemoryCheckpointFile } from '@rxlet/status-manager/testing';
import {
  createMemoryFileSystem,
  createMemoryLogDirectories,
  type MemoryFileSystem,
  withCallTimeout,
} from '@rxlet/runtime-manager/testing';
import type { Agent, AgentPorts } from '../agent.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentParts } from '../parts.ts';

/** An agent on the fake runtime and the virtual clock, which can be killed and started again while the runtime lives on. */
export interface AgentBench extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly fake: FakeRuntime;
  readonly files: MemoryFileSystem;
  /** The agent that runs at present. */
  agent(): Agent;
  /** Sets what the source has, for this agent and those after it. */
  desire(...pods: Pod[]): void;
  /** Starts an agent. `parts` replace its own, `ports` are added. */
  start(parts?: Partial<AgentParts>, ports?: Partial<AgentPorts>): Promise<Agent>;
  /** Takes the runtime away from the agent at once, as its sudden death would, and lets what is left of it run out without effect. */
  kill(): Promise<void>;
  /** The instances of a container, oldest first. */
  instances(podName: string, containerName?: string): ContainerStatus[];
  /** Names of the pods' containers that run, sorted; one that runs twice is there twice. */
  running(): string[];
  /** When the instances of a container were started, in milliseconds after the bench was made. */
  startsMs(podName: string, containerName?: string): number[];
}

/** What a real client lets a call take: the kubelet's `runtimeRequestTimeout`. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Creates a bench; nothing runs before {@link AgentBench.start}. */
export function createAgentBench(options: FakeRuntimeOptions = {}, seed = 1): AgentBench {
  const clock = createVirtualClock();
  const random = seededRandom(seed);
  const fake = createFakeRuntime({ clock, random, logs: discardLogs }, options);
  const files = createMemoryFileSystem({ '/etc/hosts': '127.0.0.1 localhost\n' });
  const statusFile = createMemoryCheckpointFile();
  const logDirectories = createMemoryLogDirectories();
  let desired: readonly Pod[] | undefined;
  let agent: Agent | undefined;
  let source: ManualSource | undefined;
  let life = new AbortController();
  const starts = recordStarts(fake, clock);

  const desire = (...pods: Pod[]): void => {
    desired = pods;
    source?.set(pods);
  };
  const stop = async (): Promise<void> => {
    const stopping = agent;
    agent = undefined;
    source = undefined;
    let ended = stopping === undefined;
    const end = (): void => void (ended = true);
    const disposal = stopping?.[Symbol.asyncDispose]();
    disposal?.then(end, end);
    // What is being started is waited for.
    await clock.runUntil(() => ended);
    await disposal;
  };
  return {
    clock,
    random,
    fake,
    files,
    agent() {
      if (agent === undefined) throw new Error('no agent runs');
      return agent;
    },
    desire,
    async start(parts = {}, ports = {}) {
      await stop();
      source = createManualSource('file');
      life = new AbortController();
      agent = await createAgent(
        {
          runtime: withCallTimeout(untilDeath(fake.runtime, life.signal), REQUEST_TIMEOUT_MS),
          images: withCallTimeout(untilDeath(fake.images, life.signal), REQUEST_TIMEOUT_MS),
          sources: [source],
          clock,
          random,
          files,
          ...ports,
          statusFile,
          logDirectories,
          probeNetwork: createPodProbeNetwork(fake.network),
          readFsStats: () => Promise.resolve({ capacityBytes: 1e12, availableBytes: 9e11 }),
          credentials: { files: { read: () => Promise.resolve(undefined) } },
        },
        {
          node: {
            rootDirectory: '/root',
            podLogsDirectory: '/logs',
            memoryCapacityBytes: 8n << 30n,
            nodeIps: ['192.0.2.1'],
          },
        },
        parts,
      );
      agent.start();
      if (desired !== undefined) source.set(desired);
      return agent;
    },
    async kill() {
      life.abort(new Error('the agent is dead'));
      await stop();
    },
    instances: (podName, containerName = 'app') =>
      fake
        .snapshot()
        .containers.filter(
          ({ labels }) => labels[PodLabel.podName] === podName && labels[PodLabel.containerName] === containerName,
        ),
    running: () =>
      fake
        .snapshot()
        .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
        .map(fullNameOf)
        .sort(),
    startsMs: (podName, containerName = 'app') =>
      starts.filter(({ name }) => name === `${podName}/${containerName}`).map(({ atMs }) => atMs),
    async [Symbol.asyncDispose]() {
      await stop();
      await fake[Symbol.asyncDispose]();
    },
  };
}

/** Notes each start of a container, which the runtime itself forgets as the instances are removed. */
function recordStarts(fake: FakeRuntime, clock: VirtualClock): { readonly name: string; readonly atMs: number }[] {
  const beganMs = clock.now();
  const starts: { name: string; atMs: number }[] = [];
  const { startContainer } = fake.runtime;
  fake.runtime.startContainer = async (request, options) => {
    try {
      return await startContainer(request, options);
    } finally {
      // Whatever the caller is told.
      const started = fake.snapshot().containers.find(({ id }) => id === request.containerId);
      if (started !== undefined && started.startedAt > 0n) {
        starts.push({ name: fullNameOf(started), atMs: clock.now() - beganMs });
      }
    }
  };
  return starts;
}

function fullNameOf({ labels }: ContainerStatus): string {
  return `${labels[PodLabel.podName] ?? ''}/${labels[PodLabel.containerName] ?? ''}`;
}

/** After its death, an agent's calls reach nobody and no answer reaches it: those that it waits for are cancelled, as its connection is gone. */
function untilDeath<T extends RuntimeService | ImageService>(port: T, life: AbortSignal): T {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name) as (request: unknown, options: CallOptions) => unknown;
      return (request: unknown, options: CallOptions = {}) => {
        if (life.aborted) return Promise.reject(life.reason as Error);
        const signal = options.signal === undefined ? life : AbortSignal.any([options.signal, life]);
        const result = method.call(target, request, { ...options, signal });
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          life.throwIfAborted();
          return value;
        });
      };
    },
  });
}

/** A pod of a manifest: defaulted, static, with one container `app` unless said otherwise. */
export function manifestPod(
  name: string,
  spec: Partial<NonNullable<Pod['spec']>> & { command?: string[] } = {},
  version = 1,
): Pod {
  const { command = ['serve'], ...rest } = spec;
  const uid = `uid-${name}-${String(version)}`;
  return defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid,
      annotations: { [PodAnnotation.configSource]: 'file', [PodAnnotation.configHash]: uid },
    },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', command }], ...rest },
  });
}
