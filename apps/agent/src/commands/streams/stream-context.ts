import type { Clock } from '@rxlet/component-base';
import type { AgentConnection } from '../agent-connection.ts';
import type { Terminal } from '../terminal.ts';
import type { Console } from './console.ts';

/** Ports of a command that streams to or from a container. */
export interface StreamCommandContext {
  readonly connection: AgentConnection;
  readonly terminal: Terminal;
  readonly console: Console;
  readonly clock: Clock;
}
