import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import { findPod } from './find-pod.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link restart}. */
export interface RestartOptions {
  readonly namespace: string;
  /** Only this container. */
  readonly container?: string;
}

/**
 * Runs `rxlet restart`: restarts the containers of a pod in place, and prints their names.
 * @throws AgentConnectionError when the agent does not answer, or there is nothing to restart
 */
export async function restart(
  agent: AgentConnection,
  terminal: Terminal,
  name: string,
  { namespace, container }: RestartOptions,
): Promise<void> {
  const { metadata } = await findPod(agent, name, namespace, terminal.signal);
  const segments = [metadata?.namespace ?? namespace, metadata?.name ?? name].map(encodeURIComponent);
  const query = container === undefined ? '' : `?container=${encodeURIComponent(container)}`;
  const chunks: Uint8Array[] = [];
  for await (const chunk of agent.post(`/restart/${segments.join('/')}${query}`, terminal.signal)) chunks.push(chunk);
  const { containers } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly containers?: readonly string[] };
  if (containers === undefined) throw new AgentConnectionError('the agent did not name the containers that restart');
  for (const restarted of containers) terminal.print(`container/${restarted} restarts`);
}
