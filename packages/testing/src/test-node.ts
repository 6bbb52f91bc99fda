import { strictEqual } from 'node:assert/strict';
import { type Agent, type AgentOptions, type AgentParts, type AgentPorts, createAgent } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import { type Random, seededRandom } from '@rxlet/component-base';
import {
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import { ContainerState, type ContainerStatus } from '@rxlet/cri-api';
import { createMemoryCgroups, type MemoryCgroups } from '@rxlet/container-manager/testing';
import { createFakeRuntime, type FakeRuntime, type FakeRuntimeOptions } from '@rxlet/fake-cri';
import { createHostFiles, filesOfTree } from '@rxlet/fake-cri/files';
import type { Pod } from '@rxlet/kube-api';
import type { Machine } from '@rxlet/machine';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { PodLabel } from '@rxlet/pod-model';
import { createManualSource, type ManualSource } from '@rxlet/pod-config';
import { withCallTimeout } from '@rxlet/runtime-manager/testing';
import {
  type MemoryFileSystems,
  type MemoryLoopDevices,
  type MemoryMounter,
  memoryVolumes,
} from '@rxlet/volume-manager/testing';
import { type AgentLife, createAgentLife, type KillPlace } from './agent-life.ts';
import { killableFiles, killablePort } from './killable-port.ts';
import { containerFullName, recordStarts } from './recorded-starts.ts';
import { testModules } from './test-modules.ts';
import { untilPhase } from './until-phase.ts';

/** Options of {@link createTestNode}. */
export interface TestNodeOptions extends FakeRuntimeOptions {
  /** Seed of all randomness. Default 1. */
  readonly seed?: number;
  /** Default `node1`. */
  readonly name?: string;
  /** Clock of the node, which others may share. Default: a new one. */
  readonly clock?: VirtualClock;
  /** Hardware of the node. Default: a machine on which resources never run short. */
  readonly machine?: Machine | undefined;
}

/** Options of an agent on a test node. */
export interface TestAgentOptions {
  /** Modules besides those of {@link testModules}; one of the same name replaces it. */
  readonly modules?: readonly AgentModule[] | ((life: AgentLife) => readonly AgentModule[]);
  /** Names of modules to leave out. */
  readonly without?: readonly string[];
  readonly ports?: Partial<AgentPorts>;
  readonly options?: AgentOptions;
  /** Replacements for parts of the core. */
  readonly parts?: Partial<AgentParts>;
  /** Kills the agent in place of the n-th call of a port since its creation, which fails the start if that comes within it. */
  readonly killAtCall?: number | undefined;
  /** Called with the agent before it starts, to subscribe to its streams. */
  readonly onCreated?: (agent: Agent) => void;
}

/** A node with a fake runtime, files in memory and a virtual clock. Its agent can be killed and started again while the runtime lives on. */
export interface TestNode extends AsyncDisposable {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly fake: FakeRuntime;
  readonly files: MemoryFiles;
  readonly cgroups: MemoryCgroups;
  /** The mounts of the node. */
  readonly mounter: MemoryMounter;
  /** Loop devices of the agent. */
  readonly loopDevices: MemoryLoopDevices;
  /** File systems of disks. */
  readonly fileSystems: MemoryFileSystems;
  readonly logger: RecordingLogger;
  /** Whether an agent has been created and not been stopped. */
  readonly isAgentRunning: boolean;
  /** Returns the agent that runs. @throws Error when none does */
  agent(): Agent;
  /** Sets the pods of the source `file`, for this agent and for later ones. */
  desire(...pods: readonly Pod[]): void;
  /** Starts an agent; one that runs is stopped first. */
  start(options?: TestAgentOptions): Promise<Agent>;
  /** Stops the agent in order. */
  stop(): Promise<void>;
  /** Kills the agent: calls in flight are lost at once, and nothing that it still does has an effect. */
  kill(): Promise<void>;
  /**
   * Lets the agent be killed in place of its n-th call of a port from now on, or after the effect of that call and before its answer. The signal aborts then, and {@link TestNode.kill} disposes of what is left of it.
   */
  armKill(calls: number, place?: KillPlace): AbortSignal;
  /** Kills the agent in place of its n-th call of a port, if that comes within `limitMs`, or else then. */
  killAtCall(calls: number, limitMs: number): Promise<void>;
  /** Moves the clock forward. */
  advance(ms: number): Promise<void>;
  /** Moves the clock until a condition holds. Rejects after `limitMs` (default an hour). */
  until(predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Moves the clock until the agent shows a pod with this phase. Rejects after `limitMs` (default an hour) with the pod's last status. */
  untilPhase(podName: string, phase: string, limitMs?: number): Promise<void>;
  /** Returns the instances of a container, oldest first. */
  instances(podName: string, containerName?: string): readonly ContainerStatus[];
  /** Returns `pod/container` of the running containers, sorted; a container that runs twice appears twice. */
  running(): readonly string[];
  /** Returns the times at which instances of a container were started, in milliseconds since the node was created. */
  startsMs(podName: string, containerName?: string): readonly number[];
  /** Stops the agent and asserts that it left no timer, no open file and no watch. */
  expectNoLeaks(): Promise<void>;
}

/** Deadline of a call in a real client (KubeletConfiguration `runtimeRequestTimeout`). */
const REQUEST_TIMEOUT_MS = 120_000;
const HOUR_MS = 3_600_000;

/**
 * Creates a test node. No agent runs before {@link TestNode.start}.
 *
 * @example
 * ```ts
 * import { createTestNode, manifestPod } from '@rxlet/testing';
 *
 * await using node = createTestNode();
 * await node.start();
 * node.desire(manifestPod('web'));
 * await node.until(() => node.running().length === 1);
 * ```
 */
export function createTestNode({
  name = 'node1',
  clock = createVirtualClock(),
  seed = 1,
  machine,
  ...runtimeOptions
}: TestNodeOptions = {}): TestNode {
  const random = seededRandom(seed);
  const logger = recordingLogger();
  const files = createMemoryFiles({
    files: { '/etc/hosts': '127.0.0.1 localhost\n', '/etc/resolv.conf': 'nameserver 192.0.2.53\n' },
  });
  const cgroups = createMemoryCgroups({ version: 2 });
  const volumes = memoryVolumes(files);
  const hostFiles = createHostFiles(filesOfTree(files));
  const fake = createFakeRuntime({ clock, random, logs: { open: files.openToAppend }, hostFiles }, runtimeOptions);
  const starts = recordStarts(fake, clock);
  let desired: readonly Pod[] | undefined;
  let agent: Agent | undefined;
  let source: ManualSource | undefined;
  let life = createAgentLife();
  let timersBefore = 0;

  const stop = async (): Promise<void> => {
    const stopping = agent;
    agent = undefined;
    source = undefined;
    if (stopping === undefined) return;
    let isStopped = false;
    const disposal = stopping[Symbol.asyncDispose]();
    const end = (): void => void (isStopped = true);
    disposal.then(end, end);
    // Calls that create something get time to finish.
    await clock.runUntil(() => isStopped);
    await disposal;
  };

  const kill = async (): Promise<void> => {
    life.end();
    await stop();
  };

  return {
    name,
    clock,
    random,
    fake,
    files,
    cgroups,
    mounter: volumes.mounter,
    loopDevices: volumes.loopDevices,
    fileSystems: volumes.fileSystems,
    logger,
    get isAgentRunning() {
      return agent !== undefined;
    },
    agent() {
      if (agent === undefined) throw new Error('no agent runs on the test node; call start first');
      return agent;
    },
    desire(...pods) {
      desired = pods;
      source?.set(pods);
    },
    async start({ modules = [], without = [], ports, options, parts, killAtCall, onCreated } = {}) {
      await stop();
      timersBefore = clock.pendingTimers;
      source = createManualSource('file');
      life = createAgentLife();
      if (killAtCall !== undefined) life.endAtCall(killAtCall);
      const extra = typeof modules === 'function' ? modules(life) : modules;
      const replaced = new Set([...without, ...extra.map(({ name }) => name)]);
      const standard = testModules(
        {
          fake,
          files,
          machine,
          cgroups: killableFiles(cgroups, life),
          volumes: {
            ...volumes,
            mounter: killableFiles(volumes.mounter, life),
            loopDevices: killableFiles(volumes.loopDevices, life),
            fileSystems: killableFiles(volumes.fileSystems, life),
          },
        },
        source,
      ).filter(({ name }) => !replaced.has(name));
      agent = await createAgent(
        {
          runtime: withCallTimeout(killablePort(fake.runtime, life), REQUEST_TIMEOUT_MS),
          images: withCallTimeout(killablePort(fake.images, life), REQUEST_TIMEOUT_MS),
          pullProgress: fake.pullProgress,
          node: {
            name,
            rootDirectory: '/root',
            podLogsDirectory: '/logs',
            memoryCapacityBytes: 8n << 30n,
            nodeIps: ['192.0.2.1'],
          },
          files: killableFiles(files.nodeFiles, life),
          hostFiles: killableFiles(files.hostFiles, life),
          clock,
          random,
          logger,
          ...ports,
        },
        [...standard, ...extra],
        options,
        parts,
      );
      onCreated?.(agent);
      const starting = agent.start();
      if (desired !== undefined) source.set(desired);
      let isStarted = false;
      const end = (): void => void (isStarted = true);
      starting.then(end, end);
      await clock.runUntil(() => isStarted);
      await starting;
      return agent;
    },
    stop,
    kill,
    armKill(calls, place) {
      life.endAtCall(calls, place);
      return life.signal;
    },
    async killAtCall(calls, limitMs) {
      life.endAtCall(calls);
      const endMs = clock.now() + limitMs;
      const timeout = clock.setTimer(limitMs, () => undefined);
      await clock.runUntil(() => life.signal.aborted || clock.now() >= endMs);
      timeout[Symbol.dispose]();
      await kill();
    },
    advance: (ms) => clock.advance(ms),
    until: (predicate, limitMs = HOUR_MS) => clock.runUntil(predicate, limitMs),
    untilPhase: (podName, phase, limitMs = HOUR_MS) =>
      untilPhase(clock, () => agent?.pods.list().find(({ metadata }) => metadata?.name === podName), {
        podName,
        phase,
        limitMs,
      }),
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
        .map(containerFullName)
        .toSorted(),
    startsMs: (podName, containerName = 'app') =>
      starts.filter(({ name }) => name === `${podName}/${containerName}`).map(({ atMs }) => atMs),
    async expectNoLeaks() {
      await stop();
      strictEqual(files.openHandles, 0, `${String(files.openHandles)} files are open after the agent was stopped`);
      strictEqual(files.openWatches, 0, `${String(files.openWatches)} files are watched after the agent was stopped`);
      await expectNoTimers(fake, clock, timersBefore);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await fake[Symbol.asyncDispose]();
    },
  };
}

/** Asserts that only the fake runtime has timers. */
async function expectNoTimers(fake: FakeRuntime, clock: VirtualClock, before: number): Promise<void> {
  // Timers of the fake's own containers and of their restarts are not the agent's.
  const left = clock.pendingTimers;
  if (left <= before) return;
  await fake[Symbol.asyncDispose]();
  strictEqual(clock.pendingTimers, 0, `${String(clock.pendingTimers)} timers are left after the agent was stopped`);
}
