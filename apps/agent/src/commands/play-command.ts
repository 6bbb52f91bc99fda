import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { errorMessage } from '@rxlet/component-base';
import { parseGoDuration } from '@rxlet/component-base/go';
import type { CommandDeps } from '../cli/command-deps.ts';
import { UsageError } from '../config/config-error.ts';
import { DEFAULT_ROOT_DIRECTORY, socketPath } from '../config/standard-places.ts';
import { ROOT_VARIABLE } from '../config/root-variable.ts';
import { parsePlayFile } from '../play/parse-play-file.ts';
import { createPlayedFiles } from '../play/played-files.ts';
import { endStartedAgent, isStartedAgent, playFolder, startAgent } from '../play/started-agent.ts';
import { AgentConnectionError } from './agent-connection.ts';
import { type CommandContext, createCommandContext } from './command-context.ts';
import { play, playDown } from './play.ts';

/** Flags that name the runtime of an agent. */
const RUNTIME_FLAGS: ReadonlySet<string> = new Set(['--container-runtime-endpoint', '--config', '--docker']);

/** Options of {@link playCommand}. */
export interface PlayCommandOptions {
  /** `-`: standard input. */
  readonly path: string;
  readonly namespace: string;
  readonly down: boolean;
  readonly replace: boolean;
  /** Longest wait, as a Go duration. */
  readonly timeout: string;
  /** Flags of an agent that is started, which must name its runtime. */
  readonly agentFlags: readonly string[];
  /** Root directory of the command line. */
  readonly namedRoot: string | undefined;
}

/**
 * Runs `rxlet play` with an agent: the running one, or one that is started for it.
 * @throws AgentConnectionError, UsageError
 */
export async function playCommand(deps: CommandDeps, options: PlayCommandOptions): Promise<void> {
  const timeoutMs = parseGoDuration(options.timeout);
  if (timeoutMs === undefined || timeoutMs <= 0)
    throw new UsageError(`invalid --timeout "${options.timeout}": expected a duration like 2m`);
  const file = await parsePlayFile(await readText(options.path), options.namespace);
  const found = await deps.context();
  const rootDirectory = await deps.rootDirectory();
  if (await answers(found)) {
    if (!options.down) await play(found, { ...options, timeoutMs, file });
    else {
      await playDown(found, { ...options, timeoutMs, file });
      await endIfUnused(rootDirectory, found);
    }
    return;
  }
  if (options.down)
    throw new AgentConnectionError(`no agent answers at ${socketPath(rootDirectory)}: nothing of the file runs`);
  const { agentFlags } = options;
  const isTrial = agentFlags.includes('--fake-runtime');
  if (!isTrial && !agentFlags.some((flag) => RUNTIME_FLAGS.has(flag)))
    throw new UsageError(
      'no agent runs, and none is started without a runtime: use --fake-runtime to try it out, or --container-runtime-endpoint with a runtime that no kubelet uses, whose pods would be removed',
    );
  const { terminal, clock } = found;
  const root = options.namedRoot ?? (process.env[ROOT_VARIABLE] || defaultRoot(isTrial));
  await startAgent(root, agentFlags, { clock, signal: terminal.signal });
  const end = `rxlet play ${options.path} --down`;
  terminal.printError(`started an agent with ${agentFlags.join(' ')} (--root-dir ${root}); it ends with: ${end}`);
  await play(createCommandContext(root, terminal.signal, terminal.colors), { ...options, timeoutMs, file });
}

/** An agent on a real runtime has a kubelet's places; one to try out leaves them alone. */
function defaultRoot(isTrial: boolean): string {
  if (!isTrial) return DEFAULT_ROOT_DIRECTORY;
  const uid = process.getuid?.() ?? 0;
  return join(
    uid === 0 ? '/run' : (process.env['XDG_RUNTIME_DIR'] ?? tmpdir()),
    `rxlet-play${uid === 0 ? '' : `-${String(uid)}`}`,
  );
}

async function answers({ connection, terminal }: CommandContext): Promise<boolean> {
  return connection.getJson('/manifests', terminal.signal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AgentConnectionError && error.status === undefined && isNotThere(error)) return false;
      // It answers, and what it says is reported where it matters.
      if (error instanceof AgentConnectionError && error.status !== undefined) return true;
      throw error;
    },
  );
}

function isNotThere({ cause }: AgentConnectionError): boolean {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  return ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(code);
}

/** Ends an agent that was started to play a file, when it has nothing left to play. */
async function endIfUnused(rootDirectory: string, { terminal, clock }: CommandContext): Promise<void> {
  if (!(await isStartedAgent(rootDirectory)) || (await createPlayedFiles(playFolder(rootDirectory)).hasAny())) return;
  await endStartedAgent(rootDirectory, { clock, signal: terminal.signal });
  terminal.printError('the agent that was started for it has ended');
}

async function readText(path: string): Promise<string> {
  try {
    return await (path === '-' ? text(process.stdin) : readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
}
