import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import {
  callErrorCode,
  type ContainerStatus,
  type CreateContainerRequestSchema,
  type PodSandboxConfigSchema,
  type PodSandboxStatus,
} from '@rxlet/cri-api';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createFakeRuntime, type FakeRuntime, type FakeRuntimePorts } from './create-fake-runtime.ts';
import { createMemoryLogs, type MemoryLogs } from './logs/log-sink.ts';
import type { FakeRuntimeOptions } from './options.ts';

export type SandboxConfigInit = MessageInitShape<typeof PodSandboxConfigSchema>;
export type ContainerConfigInit = NonNullable<MessageInitShape<typeof CreateContainerRequestSchema>['config']>;

/** A fake runtime on a virtual clock with its logs in memory, and short forms of the calls that most tests make. */
export interface Bench {
  readonly clock: VirtualClock;
  readonly logs: MemoryLogs;
  readonly fake: FakeRuntime;
  /** Runs a sandbox for pod `name`; @returns its id. */
  readonly runSandbox: (name?: string, config?: SandboxConfigInit) => Promise<string>;
  /** Creates a container of busybox in the sandbox; @returns its id. */
  readonly create: (sandboxId: string, config?: ContainerConfigInit) => Promise<string>;
  /** Creates and starts a container that runs `command`, in a sandbox of its own; @returns its id. */
  readonly start: (...command: string[]) => Promise<string>;
  readonly container: (id: string) => Promise<ContainerStatus>;
  readonly sandbox: (id: string) => Promise<PodSandboxStatus>;
  /** Returns the lines of a container's log without the timestamps. */
  readonly logOf: (id: string) => Promise<string[]>;
}

export async function createBench(
  options: FakeRuntimeOptions = {},
  ports: Partial<FakeRuntimePorts> = {},
): Promise<Bench> {
  const clock = createVirtualClock();
  const logs = createMemoryLogs();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs, ...ports }, options);
  const { runtime, images } = fake;
  const pull = images.pullImage({ image: { image: 'busybox' } });
  await clock.advance(options.latencyMs ?? 0);
  await pull;
  let sandboxes = 0;

  const bench: Bench = {
    clock,
    logs,
    fake,
    async runSandbox(name = `pod-${String(++sandboxes)}`, config = {}) {
      const response = await runtime.runPodSandbox({
        config: {
          metadata: { name, namespace: 'default', uid: `uid-of-${name}`, attempt: 0 },
          hostname: name,
          logDirectory: `/var/log/pods/${name}`,
          ...config,
        } as SandboxConfigInit,
      });
      return response.podSandboxId;
    },
    async create(podSandboxId, config = {}) {
      const response = await runtime.createContainer({
        podSandboxId,
        config: {
          metadata: { name: 'main', attempt: 0 },
          image: { image: 'busybox' },
          logPath: 'main/0.log',
          ...config,
        } as ContainerConfigInit,
      });
      return response.containerId;
    },
    async start(...command) {
      const containerId = await bench.create(await bench.runSandbox(), { command });
      await runtime.startContainer({ containerId });
      return containerId;
    },
    container: async (containerId) => (await runtime.containerStatus({ containerId })).status!,
    sandbox: async (podSandboxId) => (await runtime.podSandboxStatus({ podSandboxId })).status!,
    async logOf(id) {
      const { logPath } = await bench.container(id);
      const lines = logs.read(logPath).split('\n').slice(0, -1);
      return lines.map((line) => line.slice(line.indexOf(' ') + 1));
    },
  };
  return bench;
}

/** Returns the status code of a failed call; `undefined` when it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<number | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => callErrorCode(error) ?? Promise.reject(error as Error),
  );
}

/** Returns all messages of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}
