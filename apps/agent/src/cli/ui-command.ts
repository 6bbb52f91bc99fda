import { type Command, InvalidArgumentError, Option } from 'commander';
import { socketPath } from '../config/standard-places.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';

const HELP = `
The page shows pods, their lives and logs, events and the node. Only the account
that may open the agent's socket can serve it, and only the first browser that
opens its address can read it. For a page of another machine, forward the port:
ssh -L 8080:127.0.0.1:8080 NODE rxlet ui --port 8080`;

/** Adds the command that serves the page. */
export function addUiCommand(program: Command, deps: CommandDeps): void {
  const command = program
    .command('ui')
    .summary('serve a page that shows the agent')
    .description('serve a page that shows the running agent, on 127.0.0.1')
    .addOption(new Option('--port <port>', 'port of the page').argParser(port).default(0, 'a free one'))
    .option('--exec', 'the page has terminals in containers', false)
    .addHelpText('after', HELP);
  withExamples(command, 'rxlet ui', 'rxlet ui --port 8080 --exec').action(
    async (options: { port: number; exec: boolean }) => {
      const { servePage } = await import('../commands/ui.ts');
      const context = await deps.context();
      await servePage(context, { ...options, socketPath: socketPath(await deps.rootDirectory()) });
    },
  );
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return value;
}
