import { type Clock, systemClock } from '@rxlet/component-base';
import { socketPath } from '../config/standard-places.ts';
import { type AgentConnection, connectToAgent } from './agent-connection.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Ports of a command that talks to a running agent. */
export interface CommandContext {
  readonly connection: AgentConnection;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** Creates the ports of a command for the agent that runs with `rootDirectory`. */
export function createCommandContext(rootDirectory: string, signal: AbortSignal, colors: boolean): CommandContext {
  return {
    connection: connectToAgent(socketPath(rootDirectory)),
    terminal: processTerminal(signal, colors),
    clock: systemClock,
  };
}
