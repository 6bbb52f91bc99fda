import { Argument, type Command, Option } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import type { StreamCommandContext } from './commands/streams/stream-context.ts';
import { addListedNamespaces, namespaceOfPod } from './namespace-options.ts';
import { UsageError } from './config/config-error.ts';

/** Flags of `exec` and `attach`. */
interface SessionFlags {
  readonly namespace: string;
  readonly container?: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** Adds the commands that reach into containers, with the flags of kubectl's commands of the same names, and those for statistics. */
export function addStreamCommands(
  program: Command,
  args: readonly string[],
  openContext: () => Promise<CommandContext>,
): void {
  const openStreams = async (): Promise<StreamCommandContext> => {
    const { processConsole } = await import('./commands/streams/console.ts');
    return { ...(await openContext()), console: processConsole() };
  };
  const container = (): Option =>
    new Option(
      '-c, --container <name>',
      'which container, if not the first or the one that the pod names as its default',
    );
  const withSession = (command: Command): Command =>
    command
      .addOption(namespaceOfPod())
      .addOption(container())
      .option('-i, --stdin', 'pass standard input to the container', false)
      .option('-t, --tty', 'standard input is a terminal', false)
      .option('-q, --quiet', 'print only the output of the container', false);

  withSession(program.command('exec').description('run a command in a container'))
    .argument('<pod>', 'name of the pod')
    .argument('[command...]', 'after --: the command and its arguments')
    .action(async (pod: string, command: readonly string[], flags: SessionFlags) => {
      if (command.length > 0 && !args.includes('--')) {
        throw new UsageError('exec [POD] [COMMAND] is not supported. Use exec [POD] -- [COMMAND] instead');
      }
      const { execCommand } = await import('./commands/streams/exec.ts');
      await execCommand(await openStreams(), { pod, command, ...flags });
    });
  withSession(program.command('attach').description('connect to the running program of a container'))
    .argument('<pod>', 'name of the pod')
    .action(async (pod: string, flags: SessionFlags) => {
      const { attachCommand } = await import('./commands/streams/attach.ts');
      await attachCommand(await openStreams(), { pod, ...flags });
    });
  program
    .command('port-forward')
    .description('forward local ports to a pod')
    .argument('<pod>', 'name of the pod')
    .argument('<ports...>', '[LOCAL:]REMOTE; without a number in front of the colon, any free port')
    .addOption(namespaceOfPod())
    .option('--address <addresses>', 'addresses to listen on, separated by commas', 'localhost')
    .action(async (pod: string, ports: readonly string[], flags: { namespace: string; address: string }) => {
      const { portForwardCommand } = await import('./commands/streams/port-forward.ts');
      await portForwardCommand(await openStreams(), { pod, ports, ...flags });
    });
  program
    .command('cp')
    .description('copy files to or from a container, which must have tar')
    .argument('<source>', 'path, or [NAMESPACE/]POD:PATH')
    .argument('<destination>', 'path, or [NAMESPACE/]POD:PATH')
    .addOption(namespaceOfPod())
    .addOption(container())
    .option('--no-preserve', 'do not keep owner and mode of the files in the container')
    .action(
      async (
        source: string,
        destination: string,
        { preserve, ...flags }: { namespace: string; container?: string; preserve: boolean },
      ) => {
        const { copyCommand } = await import('./commands/copy/copy.ts');
        await copyCommand(await openStreams(), { source, destination, noPreserve: !preserve, ...flags });
      },
    );
  program
    .command('run')
    .description('run a command in a container and print its output when it has ended')
    .argument('<pod>', 'name of the pod')
    .argument('<command...>', 'after --: the command and its arguments')
    .addOption(namespaceOfPod())
    .addOption(container())
    .action(async (pod: string, command: readonly string[], flags: { namespace: string; container?: string }) => {
      const { runCommand } = await import('./commands/run.ts');
      const { connection, terminal } = await openContext();
      await runCommand(connection, terminal, { pod, command, ...flags });
    });
  addListedNamespaces(program.command('top'), 'pods')
    .description('show the use of CPU and memory')
    .addArgument(new Argument('<kind>', 'what to show').choices(['pods', 'pod', 'po', 'node', 'nodes', 'no']))
    .argument('[name]', 'only this pod')
    .option('--containers', 'a line for each container', false)
    .addOption(new Option('--sort-by <resource>', 'largest first').choices(['cpu', 'memory']))
    .option('--no-headers', 'no header')
    .action(
      async (
        kind: string,
        name: string | undefined,
        { headers, ...flags }: { namespace?: string; containers: boolean; sortBy?: 'cpu' | 'memory'; headers: boolean },
      ) => {
        const { topNode, topPods } = await import('./commands/top.ts');
        const { connection, terminal } = await openContext();
        if (kind.startsWith('no')) await topNode(connection, terminal, !headers);
        else
          await topPods(connection, terminal, { ...flags, noHeaders: !headers, ...(name !== undefined && { name }) });
      },
    );
  program
    .command('stats')
    .description('print the statistics of the node and its pods')
    .addOption(
      new Option('-o, --output <form>', 'JSON of /stats/summary, or metrics')
        .choices(['summary', 'metrics'])
        .default('summary'),
    )
    .action(async ({ output }: { output: 'metrics' | 'summary' }) => {
      const { printStats } = await import('./commands/stats.ts');
      const { connection, terminal } = await openContext();
      await printStats(connection, terminal, output);
    });
}
