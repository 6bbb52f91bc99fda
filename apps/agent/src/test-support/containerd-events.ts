import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { PrivateContainerd } from '../../../../tools/containerd/private-containerd.ts';
import { eventually } from './agent-process.ts';

/** What happened to a container, as containerd told it. The times are its own, in nanoseconds since the epoch. */
export interface TaskEvent {
  readonly topic: 'start' | 'exec-started' | 'exit';
  readonly containerId: string;
  readonly timeNs: bigint;
  /** Of an `exit`: of the container, not of a command in it. */
  readonly exitCode?: number;
}

/** The life of a container, in nanoseconds since the epoch. */
export interface ContainerTimes {
  readonly startedNs: bigint;
  readonly endedNs: bigint;
  readonly exitCode: number;
}

/** Follows containerd's events: they are still there when the container has been removed. */
export interface ContainerdEvents extends AsyncDisposable {
  /** All so far, in order. */
  list(): readonly TaskEvent[];
  /** Resolves once the container has ended, with when that was. */
  timesOf(containerId: string): Promise<ContainerTimes>;
}

const TOPICS = { '/tasks/start': 'start', '/tasks/exec-started': 'exec-started', '/tasks/exit': 'exit' } as const;

interface Details {
  readonly container_id: string;
  readonly id?: string;
  readonly exit_status?: number;
  readonly exited_at?: string;
}

/** Begins to follow; resolves once no event can be missed. */
export async function followContainerdEvents(containerd: PrivateContainerd): Promise<ContainerdEvents> {
  const child = spawn('ctr', ['--address', containerd.address, '--namespace', 'k8s.io', 'events'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const events: TaskEvent[] = [];
  let connected = false;
  createInterface(child.stdout).on('line', (line) => {
    connected = true;
    const event = parseEvent(line);
    if (event !== undefined) events.push(event);
  });
  // It does not say when it begins to listen: something has to happen that it tells.
  await eventually('an event of containerd', async () => {
    await containerd.ctr(['namespaces', 'label', 'k8s.io', 'rxlet.test=events']);
    return connected;
  });
  const find = (topic: TaskEvent['topic'], containerId: string): TaskEvent | undefined =>
    events.find((event) => event.topic === topic && event.containerId === containerId);
  return {
    list: () => [...events],
    timesOf: (containerId) =>
      eventually(`containerd tells of start and end of ${containerId}`, async () => {
        const start = find('start', containerId);
        const exit = find('exit', containerId);
        if (start === undefined || exit === undefined) return undefined;
        return { startedNs: start.timeNs, endedNs: exit.timeNs, exitCode: exit.exitCode ?? 0 };
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** `2026-11-21 08:12:41.335 +0000 UTC k8s.io /tasks/exit {…}`; `undefined` for what is not about the course of a container. */
function parseEvent(line: string): TaskEvent | undefined {
  const [, time, topicName = '', json = ''] = /^(\S+ \S+) \S+ UTC \S+ (\S+) (.*)$/.exec(line) ?? [];
  const topic = Object.hasOwn(TOPICS, topicName) ? TOPICS[topicName as keyof typeof TOPICS] : undefined;
  if (time === undefined || topic === undefined) return undefined;
  const { container_id: containerId, id, exit_status: exitCode = 0, exited_at: exitedAt } = JSON.parse(json) as Details;
  if (topic !== 'exit') return { topic, containerId, timeNs: nanoseconds(`${time.replace(' ', 'T')}Z`) };
  if (id !== containerId || exitedAt === undefined) return undefined;
  return { topic, containerId, timeNs: nanoseconds(exitedAt), exitCode };
}

function nanoseconds(rfc3339: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(rfc3339) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
