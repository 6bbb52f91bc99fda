import { type Random, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { ContainerState, type ContainerStatus, type ImageService, type RuntimeService } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime, type FakeRuntimeOptions } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, PodLabel } from '@rxlet/pod-model';
import { createManualSource, defaultPod, type ManualSource } from '@rxlet/pod-source';
import { createMemoryFileSystem, type MemoryFileSystem } from '@rxlet/runtime-manager/testing';
import { type Agent, createAgent } from '../create-agent.ts';
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
  /** Starts an agent. `wrap` stands between it and the runtime. */
  start(parts?: Partial<AgentParts>): Promise<Agent>;
  /** Takes the runtime away from the agent at once, as its sudden death would, and lets what is left of it run out without effect. */
  kill(): Promise<void>;
  /** The instances of a container, oldest first. */
  instances(podName: string, containerName?: string): ContainerStatus[];
  /** Names of the pods' containers that run, sorted; one that runs twice is there twice. */
  running(): string[];
}

/** Creates a bench; nothing runs before {@link AgentBench.start}. */
export function createAgentBench(options: FakeRuntimeOptions = {}, seed = 1): AgentBench {
  const clock = createVirtualClock();
  const random = seededRandom(seed);
  const fake = createFakeRuntime({ clock, random, logs: discardLogs }, options);
  const files = createMemoryFileSystem();
  let desired: readonly Pod[] | undefined;
  let agent: Agent | undefined;
  let source: ManualSource | undefined;
  let dead = { value: false };

  const desire = (...pods: Pod[]): void => {
    desired = pods;
    source?.set(pods);
  };
  const stop = async (): Promise<void> => {
    const stopping = agent;
    agent = undefined;
    source = undefined;
    await stopping?.[Symbol.asyncDispose]();
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
    async start(parts = {}) {
      await stop();
      source = createManualSource('file');
      const life = { value: false };
      dead = life;
      agent = await createAgent(
        {
          runtime: untilDeath(fake.runtime, life),
          images: untilDeath(fake.images, life),
          sources: [source],
          clock,
          random,
          files,
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
      dead.value = true;
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
        .map(({ labels }) => `${labels[PodLabel.podName] ?? ''}/${labels[PodLabel.containerName] ?? ''}`)
        .sort(),
    async [Symbol.asyncDispose]() {
      await stop();
      await fake[Symbol.asyncDispose]();
    },
  };
}

/** After its death, an agent's calls reach nobody and no answer reaches it: neither those it would make, nor those it waits for. */
function untilDeath<T extends RuntimeService | ImageService>(port: T, life: { value: boolean }): T {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (life.value) return Promise.reject(new Error('the agent is dead'));
        const result = method.apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          if (life.value) throw new Error('the agent is dead');
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
