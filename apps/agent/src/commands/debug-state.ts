import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/**
 * `rxlet debug state`: what goes on inside the agent, as JSON: the state machine of each pod, and each queue with its depth and oldest age.
 * @throws AgentConnectionError when the agent cannot be asked
 */
export async function printDebugState(agent: AgentConnection, terminal: Terminal): Promise<void> {
  terminal.print(JSON.stringify(await agent.getJson('/debug/state', terminal.signal), undefined, 2));
}
