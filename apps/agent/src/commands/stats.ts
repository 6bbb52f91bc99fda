import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** Runs `rxlet stats`: prints the statistics of the node and its pods as JSON, or the kubelet's metrics of resources in the Prometheus text format. */
export async function printStats(
  agent: AgentConnection,
  terminal: Terminal,
  output: 'metrics' | 'summary',
): Promise<void> {
  if (output === 'summary') {
    terminal.print(JSON.stringify(await agent.getJson('/stats/summary', terminal.signal), undefined, 2));
    return;
  }
  for await (const bytes of agent.stream('/metrics/resource', terminal.signal)) await terminal.write(bytes);
}
