import { type Clock, noopLogger, onAbort, type Random } from '@rxlet/component-base';
import { createPageServer, openPageFiles, PAGE_FOLDER } from '@rxlet/node-ui';
import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** Ports of {@link servePage}. */
export interface ServePagePorts {
  readonly connection: AgentConnection;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
}

/** Options of {@link servePage}. */
export interface ServePageOptions {
  readonly socketPath: string;
  /** 0: a free one. */
  readonly port: number;
  /** Whether the page has terminals in containers. */
  readonly exec: boolean;
}

/**
 * Runs `rxlet ui`: serves the page of the running agent until it is interrupted.
 *
 * @throws AgentConnectionError when no agent answers
 * @throws PageNotBuiltError
 */
export async function servePage(ports: ServePagePorts, { socketPath, port, exec }: ServePageOptions): Promise<void> {
  const { connection, terminal, clock, random } = ports;
  // A mistaken --root-dir shows here, not as a page that never connects.
  await connection.getJson('/pods', terminal.signal);
  const logger = { ...noopLogger, warn: (message: string) => terminal.printError(message) };
  await using server = createPageServer(
    { files: await openPageFiles(PAGE_FOLDER), clock, random, logger },
    { socketPath, port, allowsExec: exec },
  );
  terminal.print(await server.start());
  terminal.printError('The address opens the page in one browser, once. Ctrl-C ends it.');
  await new Promise<void>((resolve) => onAbort(terminal.signal, () => resolve()));
}
