import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sleep, systemClock } from '@rxlet/component-base';
import { type ContainerdEvents, type ContainerTimes, nanoseconds, type TaskEvent } from './containerd-events.ts';
import { eventually } from './eventually.ts';
import type { PrivateDockerd } from './private-dockerd.ts';
import { searchPath } from './prerequisites.ts';
import { run } from './processes.ts';

const RECONNECT_DELAY_MS = 100;

interface DockerEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

/** Records Docker's events as those of containerd, over restarts of the daemon. A container's end has its time by the runtime, unless that is gone at once. */
export function followDockerEvents({ socketPath }: PrivateDockerd): ContainerdEvents {
  const host = `unix://${socketPath}`;
  const events = new Map<string, TaskEvent>();
  const ends = new Map<string, Promise<bigint | undefined>>();
  let isOver = false;
  let end = async (): Promise<void> => undefined;
  const follow = (since: string): void => {
    const args = ['--host', host, 'events', '--since', since, '--format', '{{json .}}'];
    const child = spawn('docker', [...args, '--filter', 'type=container'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PATH: searchPath() },
    });
    const ended = once(child, 'close').then(async () => {
      if (isOver) return;
      await sleep(systemClock, RECONNECT_DELAY_MS);
      // Docker sends again what it has since then.
      if (!isOver) follow(since);
    });
    end = async () => {
      child.kill();
      await ended;
    };
    createInterface(child.stdout).on('line', (line) => {
      const event = taskEvent(line);
      if (event === undefined) return;
      events.set(`${event.containerId} ${event.topic} ${String(event.timeNs)}`, event);
      // On a busy machine, Docker's event comes a tenth of a second and more after the end.
      if (event.topic === 'exit' && !ends.has(event.containerId))
        ends.set(event.containerId, finishedNs(host, event.containerId));
    });
  };
  // From a time on, so that no event before the subscription is missed.
  follow(String(Math.floor(systemClock.now() / 1000) - 1));
  const find = (topic: TaskEvent['topic'], containerId: string): TaskEvent | undefined =>
    [...events.values()].find((event) => event.topic === topic && event.containerId === containerId);
  return {
    list: () => [...events.values()],
    async timesOf(containerId): Promise<ContainerTimes> {
      const exit = await eventually(`the exit of ${containerId}`, async () => find('exit', containerId));
      const start = find('start', containerId);
      if (start === undefined) throw new Error(`${containerId} has exited without a start`);
      const endedNs = (await ends.get(containerId)) ?? exit.timeNs;
      return { startedNs: start.timeNs, endedNs, exitCode: exit.exitCode ?? -1 };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await end();
    },
  };
}

/** Returns when a container ended; `undefined` if it is gone. */
async function finishedNs(host: string, containerId: string): Promise<bigint | undefined> {
  const args = ['--host', host, 'inspect', '--type', 'container', '--format', '{{.State.FinishedAt}}', containerId];
  const finishedAt = await run('docker', args).catch(() => undefined);
  return finishedAt === undefined ? undefined : nanoseconds(finishedAt.trim());
}

function taskEvent(line: string): TaskEvent | undefined {
  const { Action, Actor } = JSON.parse(line) as DockerEvent;
  // As text, because a number would lose the last digits.
  const timeNs = BigInt(/"timeNano":(\d+)/.exec(line)?.[1] ?? 0);
  const base = { containerId: Actor.ID, timeNs };
  if (Action === 'start') return { topic: 'start', ...base };
  if (Action === 'die') return { topic: 'exit', ...base, exitCode: Number(Actor.Attributes['exitCode']) };
  return Action.startsWith('exec_start') ? { topic: 'exec-started', ...base } : undefined;
}
