import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PodChange } from '@rxlet/agent-api';
import type { HttpEndpoint } from '@rxlet/agent-api/http';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import { createEmitter } from '@rxlet/component-base/streams';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { containerLogsEndpoint, type OpenLog } from '@rxlet/container-logs';
import type { FakeRuntime } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { createKubeletServer } from '@rxlet/kubelet-server';
import { type AgentConnection, connectToAgent } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** The endpoints of an agent on a real socket, with made-up pods and events behind them, and a connection to it. */
export interface FakeAgent extends AsyncDisposable {
  readonly connection: AgentConnection;
  readonly socketPath: string;
  readonly clock: VirtualClock;
  readonly events: EventLog;
  put(...pods: readonly Pod[]): void;
  remove(pod: Pod): void;
  /** Ends the agent, as when it is stopped. */
  stop(): Promise<void>;
}

/** Starts a {@link FakeAgent}. */
export async function startFakeAgent({
  openLog = () => Promise.reject(new Error('not in this test')),
  sourcesReady = () => true,
  runtime,
  endpoints = [],
}: {
  openLog?: OpenLog;
  sourcesReady?: () => boolean;
  /** Runtime behind the endpoints for streams. */
  runtime?: FakeRuntime['runtime'];
  /** Further endpoints. */
  endpoints?: readonly HttpEndpoint[];
} = {}): Promise<FakeAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
  const socketPath = join(folder, 'rxlet.sock');
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const changes = createEmitter<PodChange>();
  const pods = new Map<string, Pod>();
  const uidOf = (pod: Pod): string => pod.metadata?.uid ?? '';
  const server = createKubeletServer(
    {
      clock,
      events,
      pods: { list: () => [...pods.values()], changes$: changes.values$ },
      sourcesReady,
      healthChecks: [],
      metrics: () => Promise.reject(new Error('not in this test')),
      endpoints: [containerLogsEndpoint(openLog, clock), ...endpoints],
      ...(runtime !== undefined && { runtime }),
    },
    { socketPath, nodeName: 'node1' },
  );
  await server.start();
  return {
    connection: connectToAgent(socketPath),
    socketPath,
    clock,
    events,
    put(...given) {
      for (const pod of given) {
        const type = pods.has(uidOf(pod)) ? 'MODIFIED' : 'ADDED';
        pods.set(uidOf(pod), pod);
        changes.emit({ type, pod });
      }
    },
    remove(pod) {
      pods.delete(uidOf(pod));
      changes.emit({ type: 'DELETED', pod });
    },
    async stop() {
      await server[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A terminal that keeps what is written to it. */
export interface RecordingTerminal extends Terminal {
  readonly printed: string[];
  readonly errors: string[];
  /** Returns the text written with `write`. */
  readonly text: () => string;
  /** Ctrl-C. */
  interrupt(): void;
  /** Resolves as soon as that many lines or pieces have been printed or written. */
  until(count: number): Promise<void>;
}

/** Creates a {@link RecordingTerminal}. */
export function recordingTerminal(): RecordingTerminal {
  const controller = new AbortController();
  const printed: string[] = [];
  const errors: string[] = [];
  const pieces: Uint8Array[] = [];
  const waiting = new Set<() => void>();
  const checkAll = (): void => waiting.forEach((check) => check());
  return {
    printed,
    errors,
    text: () => Buffer.concat(pieces).toString(),
    print(line) {
      printed.push(...line.split('\n'));
      checkAll();
    },
    write(bytes) {
      pieces.push(bytes);
      checkAll();
      return Promise.resolve();
    },
    printError: (line) => void errors.push(line),
    signal: controller.signal,
    colors: false,
    isInteractive: false,
    interrupt: () => controller.abort(new Error('interrupted')),
    until: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (printed.length + pieces.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Collects all values. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A pod that runs, with the given containers. */
export function runningPod(name: string, namespace = 'default', containers: readonly string[] = ['main']): Pod {
  return {
    metadata: { name: `${name}-node1`, namespace, uid: `${namespace}-${name}` },
    spec: { nodeName: 'node1', containers: containers.map((container) => ({ name: container })) },
    status: {
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      podIP: '10.0.0.2',
      containerStatuses: containers.map((container) => ({
        name: container,
        image: 'busybox',
        imageID: '',
        ready: true,
        restartCount: 0,
        state: { running: {} },
      })),
    },
  };
}
