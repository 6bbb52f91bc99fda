import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentCommands, AnswerMessage, CommandMessage, MeasuredAgentOptions } from './agent-commands.ts';
import { bundleProgram } from '../bundle/bundle-program.ts';
import { workspace } from './child-process.ts';
import { launcherFlags } from './launcher.ts';

/** An agent in a process of its own, with nothing beside it but the measuring code. Disposing of it ends it. */
export interface MeasuredAgent extends AsyncDisposable {
  /** Runs a command in it, one at a time. @throws Error when it fails, or the process has ended */
  run<Name extends keyof AgentCommands>(
    command: Name,
    ...args: Parameters<AgentCommands[Name]>
  ): Promise<Awaited<ReturnType<AgentCommands[Name]>>>;
}

const SOURCE = fileURLToPath(new URL('./agent-process.ts', import.meta.url));

let bundle: Promise<string> | undefined;

/** Bundles the process as the command `rxlet` is, into a folder that stays, with the code that its runs record. */
function bundled(): Promise<string> {
  const folder = join(workspace, 'node_modules/.cache/rxlet-bench');
  return (bundle ??= bundleProgram(SOURCE, folder).then(() => join(folder, 'main.cjs')));
}

/**
 * Starts one; resolves when everything is loaded and the runtime has answered, before the agent reads anything.
 * @param form `source` for profiles, which name the packages then
 */
export async function startMeasuredAgent(
  options: MeasuredAgentOptions,
  form: 'bundle' | 'source' = 'bundle',
): Promise<MeasuredAgent> {
  const child = fork(form === 'bundle' ? await bundled() : SOURCE, [JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Its memory and its garbage collections are then those of an agent, and the measured process need not strip types.
    execArgv: ['--conditions=@rxlet/source', ...launcherFlags()],
    env: { ...process.env, NODE_COMPILE_CACHE: join(workspace, 'node_modules/.cache/rxlet') },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const nextAnswer = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        child.off('exit', onExit);
        const answer = message as AnswerMessage;
        if ('error' in answer) reject(new Error(`the measured agent: ${answer.error}`));
        else resolve(answer.value);
      };
      const onExit = (code: number | null): void => {
        child.off('message', onMessage);
        reject(new Error(`the measured agent exited with ${String(code)}`));
      };
      child.once('message', onMessage);
      child.once('exit', onExit);
    });
  await nextAnswer();
  return {
    async run(command, ...args) {
      const answer = nextAnswer();
      child.send({ command, args } satisfies CommandMessage);
      return (await answer) as never;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
