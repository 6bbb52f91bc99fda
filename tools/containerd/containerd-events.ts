import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { PrivateContainerd } from './private-containerd.ts';
import { eventually } from './eventually.ts';

/** An event of a container, by containerd's clock, in nanoseconds since the epoch. */
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

/** Records containerd's events, which outlive the container. */
export interface ContainerdEvents extends AsyncDisposable {
  /** All events so far, in order. */
  list(): readonly TaskEvent[];
  /** Resolves once the container has exited, with the time of its exit. */
  timesOf(containerId: string): Promise<ContainerTimes>;
}

const TOPICS = { '/tasks/start': 'start', '/tasks/exec-started': 'exec-started', '/tasks/exit': 'exit' } as const;

interface Details {
  readonly container_id: string;
  readonly id?: string;
  readonly exit_status?: number;
  /** A text, or an object from containerd 2 on. */
  readonly exited_at?: string | { readonly seconds?: number; readonly nanos?: number };
}

/** Starts to record; resolves once no event can be missed. */
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
  // `ctr` does not report that it is subscribed, so cause events until it shows one.
  await eventually('an event of containerd', async () => {
    await containerd.ctr(['namespaces', 'label', 'k8s.io', 'rxlet.test=events']);
    return connected;
  });
  const find = (topic: TaskEvent['topic'], containerId: string): TaskEvent | undefined =>
    events.find((event) => event.topic === topic && event.containerId === containerId);
  return {
    list: () => [...events],
    timesOf: (containerId) =>
      eventually(`containerd's events of start and exit of ${containerId}`, async () => {
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

/** `2026-11-21 08:12:41.335 +0000 UTC k8s.io /tasks/exit {…}`; `undefined` for other events than those of a container's life. */
function parseEvent(line: string): TaskEvent | undefined {
  const [, time, topicName = '', json = ''] = /^(\S+ \S+) \S+ UTC \S+ (\S+) (.*)$/.exec(line) ?? [];
  const topic = Object.hasOwn(TOPICS, topicName) ? TOPICS[topicName as keyof typeof TOPICS] : undefined;
  if (time === undefined || topic === undefined) return undefined;
  const { container_id: containerId, id, exit_status: exitCode = 0, exited_at: exitedAt } = JSON.parse(json) as Details;
  if (topic !== 'exit') return { topic, containerId, timeNs: nanoseconds(`${time.replace(' ', 'T')}Z`) };
  if (id !== containerId || exitedAt === undefined) return undefined;
  const timeNs =
    typeof exitedAt === 'string'
      ? nanoseconds(exitedAt)
      : BigInt(exitedAt.seconds ?? 0) * 1_000_000_000n + BigInt(exitedAt.nanos ?? 0);
  return { topic, containerId, timeNs, exitCode };
}

/** Returns a time in UTC in nanoseconds since the epoch. */
export function nanoseconds(rfc3339: string): bigint {
  const [, seconds = '', fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(rfc3339) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
