import { onAbort } from '@rxlet/component-base';
import { parseGoDuration } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { UsageError } from '../config/config-error.ts';
import { usablePod } from '../output/usable-pod.ts';
import { pods } from '../resources/pods.ts';
import { byName } from '../resources/resource-kind.ts';
import type { AgentConnection } from './agent-connection.ts';
import { chooseContainer } from './choose-container.ts';
import { findPod } from './find-pod.ts';
import { objectsOf } from './get-resources.ts';
import { selectionTest } from './select-objects.ts';
import { splitLines } from './split-lines.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link printLogs}. */
export interface LogsOptions {
  /** Default: the pods of the selector. */
  readonly pod?: string | undefined;
  readonly namespace: string;
  /** Label selector of the pods. */
  readonly selector?: string | undefined;
  /** Default: the one that the annotation `kubectl.kubernetes.io/default-container` names, else the first. */
  readonly container?: string;
  /** The logs of all containers of the pod: one after the other, or line by line as they grow when they are followed. */
  readonly allContainers: boolean;
  /** Each line begins with its pod and container. */
  readonly prefix: boolean;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** So many lines from the end. */
  readonly tail?: number;
  /** Only lines younger than this, as a Go duration of a second or more. */
  readonly since?: string;
  /** Only lines from this time on, in the form of RFC 3339. */
  readonly sinceTime?: string;
  /** So many bytes of each log at most. */
  readonly limitBytes?: number;
}

/**
 * `rxlet logs`
 * @throws UsageError for options that exclude each other, and for a value that the agent would reject
 * @throws AgentConnectionError when the agent does not answer, or there is no such pod, container or log
 */
export async function printLogs(agent: AgentConnection, terminal: Terminal, options: LogsOptions): Promise<void> {
  const parameters = logParameters(options);
  if (options.allContainers && options.container !== undefined)
    throw new UsageError('--all-containers=true should not be specified with container name');
  const chosen = await chosenPods(agent, terminal, options);
  const logs = chosen.flatMap((pod) => containersOf(pod, options, terminal).map((container) => ({ pod, container })));
  const isOneOfMany = options.prefix || options.allContainers || logs.length > 1;
  const ended = new AbortController();
  using _interruption = onAbort(terminal.signal, () => ended.abort());
  const printLog = async ({ pod, container }: (typeof logs)[number]): Promise<void> => {
    const podName = pod.metadata?.name ?? '';
    const path = [options.namespace, podName, container].map(encodeURIComponent).join('/');
    const log = agent.stream(`/containerLogs/${path}?${parameters.toString()}`, ended.signal);
    const prefix = options.prefix ? `[pod/${podName}/${container}] ` : '';
    if (isOneOfMany)
      for await (const line of splitLines(withLastEnd(log))) await terminal.write(Buffer.from(`${prefix}${line}\n`));
    else for await (const bytes of log) await terminal.write(bytes);
  };
  if (!options.follow) for (const log of logs) await printLog(log);
  else if (logs.length > MAX_FOLLOWED)
    throw new UsageError(
      `you are attempting to follow ${String(logs.length)} log streams, but maximum allowed concurrency is ${String(MAX_FOLLOWED)}: choose fewer pods`,
    );
  else
    try {
      await Promise.all(logs.map(printLog));
    } finally {
      // When one of them fails, the others would keep the program running.
      ended.abort();
    }
}

/** Maximum number of logs that are followed at the same time. */
const MAX_FOLLOWED = 50;

async function chosenPods(
  agent: AgentConnection,
  terminal: Terminal,
  { pod, namespace, selector }: LogsOptions,
): Promise<readonly Pod[]> {
  if (pod !== undefined) return [await findPod(agent, pod, namespace, terminal.signal)];
  const all = await objectsOf(agent, pods, terminal.signal);
  const found = all.filter(selectionTest(pods, { namespace, selector }));
  if (found.length === 0) terminal.printError(`No pods found in namespace ${namespace}.`);
  return found.map(usablePod).toSorted(byName);
}

function containersOf(pod: Pod, { allContainers, container }: LogsOptions, terminal: Terminal): readonly string[] {
  if (allContainers) return podContainers(pod, ['init', 'regular', 'ephemeral']).map(({ container: { name } }) => name);
  return [chooseContainer(pod, container, (notice) => terminal.printError(notice)).name];
}

function logParameters(options: LogsOptions): URLSearchParams {
  const { follow, previous, timestamps, tail, since, sinceTime, limitBytes } = options;
  if (since !== undefined && sinceTime !== undefined)
    throw new UsageError('at most one of --since and --since-time may be used');
  if (limitBytes === 0) throw new UsageError('invalid --limit-bytes 0: expected 1 or more');
  return new URLSearchParams({
    follow: String(follow),
    previous: String(previous),
    timestamps: String(timestamps),
    ...(tail !== undefined && { tailLines: String(tail) }),
    ...(since !== undefined && { sinceSeconds: String(parseSince(since)) }),
    ...(sinceTime !== undefined && { sinceTime: checkSinceTime(sinceTime) }),
    ...(limitBytes !== undefined && { limitBytes: String(limitBytes) }),
  });
}

function parseSince(since: string): number {
  const ms = parseGoDuration(since);
  if (ms !== undefined && ms >= 1000) return Math.round(ms / 1000);
  throw new UsageError(`invalid --since "${since}": expected a duration of a second or more, like 90s or 5m`);
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function checkSinceTime(time: string): string {
  if (RFC3339.test(time) && !Number.isNaN(Date.parse(time))) return time;
  throw new UsageError(`invalid --since-time "${time}": expected a time like 2026-01-31T08:00:00Z`);
}

const LINE_END = 0x0a;

/** Ends the last line of a text that may end in the midst of one. */
async function* withLastEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let last: number | undefined = LINE_END;
  for await (const chunk of chunks) {
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (last !== LINE_END) yield Uint8Array.of(LINE_END);
}
