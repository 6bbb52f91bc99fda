import { noopLogger, onAbort } from '@rxlet/component-base';
import { createPage } from '../create-page.ts';
import type { CommandContext } from './command-context.ts';

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
export async function servePage(context: CommandContext, { socketPath, port, exec }: ServePageOptions): Promise<void> {
  const { connection, terminal, clock } = context;
  // A mistaken --root-dir shows here, not as a page that never connects.
  await connection.getJson('/pods', terminal.signal);
  const logger = { ...noopLogger, warn: (message: string) => terminal.printError(message) };
  await using server = await createPage({ clock, logger }, { socketPath, port, allowsExec: exec });
  terminal.print(await server.start());
  terminal.printError('The address opens the page in one browser, once. Ctrl-C ends it.');
  await new Promise<void>((resolve) => onAbort(terminal.signal, () => resolve()));
}
