import { Argument, type Command } from 'commander';
import { UsageError } from '../config/config-error.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';

const DRAIN_HELP = `
The signal SIGUSR2 to the agent drains the node as well. A drained node is not
ready. It takes pods again after "rxlet drain --cancel", an orderly restart of
the agent (SIGTERM) or a boot; only a restart also starts static pods again. A
drain goes on after a crash of the agent.`;

/** Adds the commands about the node and the agent itself. */
export function addNodeCommands(program: Command, deps: CommandDeps): void {
  const drain = program
    .command('drain')
    .summary('end all pods, and reject new ones')
    .description('end all pods in the order of their priorities, and reject new ones')
    .argument('[node]', 'name of the node, which must be that of the agent')
    .option('--grace <duration>', 'time for all pods, e.g. 30s (default: that of a shutdown of the node, or 30s)')
    .option('--cancel', 'take pods again', false)
    .addHelpText('after', DRAIN_HELP);
  withExamples(drain, 'rxlet drain --grace 60s', 'rxlet drain --cancel').action(
    async (node: string | undefined, options: { grace?: string; cancel: boolean }) => {
      const { drain: drainNode } = await import('../commands/drain.ts');
      const { connection, terminal, clock } = await deps.context();
      if (node !== undefined) {
        const { nodes } = await import('../resources/nodes.ts');
        const { objectsOf } = await import('../commands/get-resources.ts');
        nodes.select(await objectsOf(connection, nodes, terminal.signal), node.replace(/^(nodes?|no)\//, ''), '');
      }
      await drainNode(connection, terminal, clock, options);
    },
  );

  const debug = program
    .command('debug')
    .description('look inside the running agent')
    .helpGroup('')
    .addArgument(new Argument('<what>', 'what to show').choices(['state']));
  withExamples(debug, 'rxlet debug state').action(async () => {
    const { printDebugState } = await import('../commands/debug-state.ts');
    const { connection, terminal } = await deps.context();
    await printDebugState(connection, terminal);
  });

  const version = program
    .command('version')
    .description('print the versions of rxlet, and of the running agent')
    .helpGroup('')
    .option('--client', 'only that of this program', false)
    .option('-o, --output <format>', 'json');
  withExamples(version, 'rxlet version', 'rxlet version --client').action(
    async ({ client, output }: { client: boolean; output?: string }) => {
      if (output !== undefined && output.replace(/^=/, '') !== 'json')
        throw new UsageError(`--output must be 'json', not '${output}'`);
      const { printVersion } = await import('../commands/version.ts');
      const context = client ? undefined : await deps.context();
      const { processTerminal } = await import('../commands/terminal.ts');
      const { print } = context?.terminal ?? processTerminal(deps.signal, false);
      await printVersion(context, print, { version: program.version() ?? '', isJson: output !== undefined });
    },
  );
}
