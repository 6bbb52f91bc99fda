import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
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
  /** Only lines written in the last so many seconds. */
  readonly sinceSeconds?: number;
}

/**
 * `rxlet logs`
 * @throws AgentConnectionError when the agent cannot be asked, or there is no such pod, container or log
 */
export async function printLogs(agent: AgentConnection, terminal: Terminal, options: LogsOptions): Promise<void> {
  const pod = await findPod(agent, options.pod, options.namespace, terminal.signal);
  const { container, notice } = chooseContainer(pod, options.container);
  if (notice !== undefined) terminal.printError(notice);
  const parameters = new URLSearchParams({
    follow: String(options.follow),
    previous: String(options.previous),
    timestamps: String(options.timestamps),
    ...(options.tail !== undefined && { tailLines: String(options.tail) }),
    ...(options.sinceSeconds !== undefined && { sinceSeconds: String(options.sinceSeconds) }),
  });
  const path = [options.namespace, pod.metadata?.name ?? '', container].map(encodeURIComponent).join('/');
  const log = agent.stream(`/containerLogs/${path}?${parameters.toString()}`, terminal.signal);
  for await (const bytes of log) await terminal.write(bytes);
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** As kubectl chooses, and says that it did. */
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
