import { pipeline } from 'node:stream/promises';
import { type CommandOptions, connectCommand, type RemoteCommand } from '@rxlet/streaming/client';
import { type AgentConnection, AgentConnectionError } from '../agent-connection.ts';
import type { StreamCommandContext } from './stream-context.ts';
import { CommandExitError } from './command-exit-error.ts';

/** Exit code of a program that was interrupted, as of a shell. */
const INTERRUPTED = 130;

/** An exec or attach with the console of this program. */
export interface StreamSession {
  /** Path and query of the agent's endpoint, without the streams. */
  readonly path: string;
  readonly options: CommandOptions;
}

/**
 * Connects the console to a container until the command has ended; with a terminal in raw mode, and its size and each later one sent on.
 * @throws CommandExitError when the command's exit code is not 0, or this program is interrupted
 * @throws AgentConnectionError when the agent or the runtime rejects the stream, or it breaks
 */
export async function runStreamSession(context: StreamCommandContext, session: StreamSession): Promise<void> {
  const { console, terminal } = context;
  const { tty } = session.options;
  // A terminal in raw mode must be restored whatever happens.
  if (tty) console.setRawMode(true);
  try {
    await using command = await openCommand(context, session);
    using _resizes = tty ? sendSizes(context, command) : undefined;
    await copyStreams(context, command);
  } catch (error) {
    if (terminal.signal.aborted && !(error instanceof CommandExitError)) throw new CommandExitError(INTERRUPTED, '');
    throw error;
  } finally {
    if (tty) console.setRawMode(false);
  }
}

/** Opens an exec or attach of the agent. */
export async function openCommand(
  { connection, clock, terminal }: Pick<StreamCommandContext, 'clock' | 'connection' | 'terminal'>,
  { path, options }: StreamSession,
): Promise<RemoteCommand> {
  const address = connection.streamAddress(`${path}${streamQuery(options)}`);
  return explained(connection, connectCommand(address, options, { clock, signal: terminal.signal }));
}

/** Rejects with the reason of the agent when it rejects a stream. */
export async function explained<T>(connection: AgentConnection, opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    throw await connection.explainRejection(error);
  }
}

function streamQuery({ stdin, stdout, stderr, tty }: CommandOptions): string {
  const flags = { input: stdin, output: stdout, error: stderr, tty };
  return Object.entries(flags)
    .map(([name, isSet]) => (isSet ? `&${name}=1` : ''))
    .join('');
}

function sendSizes({ console }: StreamCommandContext, command: RemoteCommand): Disposable {
  const send = (): void => {
    const size = console.size();
    if (size !== undefined) command.resize(size);
  };
  send();
  return console.onResize(send);
}

async function copyStreams({ console, terminal }: StreamCommandContext, command: RemoteCommand): Promise<void> {
  const stopInput = new AbortController();
  if (command.stdin !== undefined) {
    const { stdin } = console;
    // The command may end first, or not read its input.
    pipeline(stdin, command.stdin, { signal: stopInput.signal }).catch(() => undefined);
  }
  try {
    const output = Promise.all([
      command.stdout === undefined ? undefined : pipeline(command.stdout, console.stdout, { end: false }),
      command.stderr === undefined ? undefined : pipeline(command.stderr, console.stderr, { end: false }),
    ]);
    // When the outcome fails, too, it is the one that says why.
    output.catch(() => undefined);
    const outcome = await command.outcome.catch((error: unknown) => {
      if (terminal.signal.aborted) throw new CommandExitError(INTERRUPTED, '');
      throw new AgentConnectionError((error as Error).message, { cause: error });
    });
    await output;
    if (outcome.kind === 'failed') throw new AgentConnectionError(outcome.message);
    if (outcome.code !== 0) throw new CommandExitError(outcome.code);
  } finally {
    stopInput.abort();
  }
}
