import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs `rxlet debug state`: prints the agent's internal state as JSON, with the state machine of each pod and the depth and oldest age of each queue.
 * @throws AgentConnectionError when the agent does not answer
 */
export async function printDebugState(agent: AgentConnection, terminal: Terminal): Promise<void> {
  terminal.print(JSON.stringify(await agent.getJson('/debug/state', terminal.signal), undefined, 2));
}
