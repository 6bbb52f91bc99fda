import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sleep, systemClock } from '@rxlet/component-base';
import type { ContainerdEvents, ContainerTimes, TaskEvent } from './containerd-events.ts';
import { eventually } from './eventually.ts';
import type { PrivateDockerd } from './private-dockerd.ts';
import { searchPath } from './prerequisites.ts';

const RECONNECT_DELAY_MS = 100;

interface DockerEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

/** Records Docker's events as those of containerd, over restarts of the daemon. */
export function followDockerEvents({ socketPath }: PrivateDockerd): ContainerdEvents {
  const events = new Map<string, TaskEvent>();
  let isOver = false;
  let end = async (): Promise<void> => undefined;
  const follow = (since: string): void => {
    const args = ['--host', `unix://${socketPath}`, 'events', '--since', since, '--format', '{{json .}}'];
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
      if (event !== undefined) events.set(`${event.containerId} ${event.topic} ${String(event.timeNs)}`, event);
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
      return { startedNs: start.timeNs, endedNs: exit.timeNs, exitCode: exit.exitCode ?? -1 };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await end();
    },
  };
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
