import { parseGoDuration } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { UsageError } from '../config/config-error.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import { findPod } from './find-pod.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link printLogs}. */
export interface LogsOptions {
  readonly pod: string;
  readonly namespace: string;
  /** Default: the one that the annotation `kubectl.kubernetes.io/default-container` names, else the first. */
  readonly container?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** So many lines from the end. */
  readonly tail?: number;
  /** Only lines younger than this, as a Go duration of a second or more. */
  readonly since?: string;
}

/**
 * `rxlet logs`
 * @throws UsageError when `since` is not a duration of a second or more
 * @throws AgentConnectionError when the agent does not answer, or there is no such pod, container or log
 */
export async function printLogs(agent: AgentConnection, terminal: Terminal, options: LogsOptions): Promise<void> {
  const sinceSeconds = options.since === undefined ? undefined : parseSince(options.since);
  const pod = await findPod(agent, options.pod, options.namespace, terminal.signal);
  const { container, notice } = chooseContainer(pod, options.container);
  if (notice !== undefined) terminal.printError(notice);
  const parameters = new URLSearchParams({
    follow: String(options.follow),
    previous: String(options.previous),
    timestamps: String(options.timestamps),
    ...(options.tail !== undefined && { tailLines: String(options.tail) }),
    ...(sinceSeconds !== undefined && { sinceSeconds: String(sinceSeconds) }),
  });
  const path = [options.namespace, pod.metadata?.name ?? '', container].map(encodeURIComponent).join('/');
  const log = agent.stream(`/containerLogs/${path}?${parameters.toString()}`, terminal.signal);
  for await (const bytes of log) await terminal.write(bytes);
}

function parseSince(since: string): number {
  const ms = parseGoDuration(since);
  if (ms !== undefined && ms >= 1000) return Math.round(ms / 1000);
  throw new UsageError(`invalid --since "${since}": expected a duration of a second or more, like 90s or 5m`);
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Chooses a container as kubectl does, with kubectl's notice. */
function chooseContainer(pod: Pod, wanted: string | undefined): { container: string; notice?: string } {
  const all = podContainers(pod, ['regular', 'init', 'ephemeral']);
  const listed = all
    .map(({ kind, container: { name } }) => (kind === 'regular' ? name : `${name} (${kind})`))
    .join(', ');
  const has = (name: string): boolean => all.some(({ container }) => container.name === name);
  if (wanted !== undefined) {
    if (has(wanted)) return { container: wanted };
    throw new AgentConnectionError(`pod ${pod.metadata?.name ?? ''} has no container "${wanted}"; it has: ${listed}`);
  }
  const annotated = pod.metadata?.annotations?.[DEFAULT_CONTAINER];
  if (annotated !== undefined && has(annotated)) return { container: annotated };
  const [first, ...others] = all;
  if (first === undefined) throw new AgentConnectionError(`pod ${pod.metadata?.name ?? ''} has no containers`);
  const container = first.container.name;
  if (others.length === 0) return { container };
  return { container, notice: `Defaulted container "${container}" out of: ${listed} (-c chooses)` };
}
