import { Argument, type Command, Option } from 'commander';
import { UsageError } from '../config/config-error.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';
import { addListedNamespaces, containerOption, namespaceOfPod } from './options.ts';

/** Flags of `exec` and `attach`. */
interface SessionFlags {
  readonly namespace: string;
  readonly container?: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
}

/** Adds the commands that reach into containers, with the flags of kubectl's commands of the same names, and those for statistics. */
export function addStreamCommands(program: Command, deps: CommandDeps): void {
  const withSession = (command: Command): Command =>
    command
      .addOption(namespaceOfPod())
      .addOption(containerOption())
      .option('-i, --stdin', 'pass standard input to the container', false)
      .option('-t, --tty', 'standard input is a terminal', false)
      .option('-q, --quiet', 'print only the output of the container', false);

  const exec = withSession(program.command('exec').description('run a command in a container'))
    .argument('<pod>', 'name of the pod')
    .argument('[command...]', 'after --: the command and its arguments');
  withExamples(exec, 'rxlet exec -it web -- sh', 'rxlet exec web -c nginx -- cat /etc/hosts').action(
    async (pod: string, command: readonly string[], flags: SessionFlags) => {
      const dashes = deps.args.indexOf('--');
      if (command.length > (dashes < 0 ? 0 : deps.args.length - dashes - 1)) {
        throw new UsageError('exec [POD] [COMMAND] is not supported. Use exec [POD] -- [COMMAND] instead');
      }
      const { execCommand } = await import('../commands/streams/exec.ts');
      await execCommand(await deps.streams(), { pod, command, ...flags });
    },
  );
  const attach = withSession(program.command('attach').description('connect to the running program of a container'));
  withExamples(attach.argument('<pod>', 'name of the pod'), 'rxlet attach -it web').action(
    async (pod: string, flags: SessionFlags) => {
      const { attachCommand } = await import('../commands/streams/attach.ts');
      await attachCommand(await deps.streams(), { pod, ...flags });
    },
  );
  const portForward = program
    .command('port-forward')
    .description('forward local ports to a pod')
    .argument('<pod>', 'name of the pod')
    .argument('<ports...>', '[LOCAL:]REMOTE; without a number in front of the colon, any free port')
    .addOption(namespaceOfPod())
    .option('--address <addresses>', 'addresses to listen on, separated by commas', 'localhost');
  withExamples(portForward, 'rxlet port-forward web 8080:80', 'rxlet port-forward pod/web :http').action(
    async (pod: string, ports: readonly string[], flags: { namespace: string; address: string }) => {
      const { portForwardCommand } = await import('../commands/streams/port-forward.ts');
      await portForwardCommand(await deps.streams(), { pod, ports, ...flags });
    },
  );
  const copy = program
    .command('cp')
    .summary('copy files to or from a container')
    .description('copy files to or from a container, which must have tar')
    .argument('<source>', 'path, or [NAMESPACE/]POD:PATH')
    .argument('<destination>', 'path, or [NAMESPACE/]POD:PATH')
    .addOption(namespaceOfPod())
    .addOption(containerOption())
    .option('--no-preserve', 'do not keep owner and mode of the files in the container');
  withExamples(copy, 'rxlet cp ./page.html web:/usr/share/page.html', 'rxlet cp web:/var/log ./logs -c nginx').action(
    async (
      source: string,
      destination: string,
      { preserve, ...flags }: { namespace: string; container?: string; preserve: boolean },
    ) => {
      const { copyCommand } = await import('../commands/copy/copy.ts');
      await copyCommand(await deps.streams(), { source, destination, noPreserve: !preserve, ...flags });
    },
  );
  const run = program
    .command('run')
    .summary('run a command to its end, then print its output')
    .description('run a command in a container and print its output when it has ended')
    .argument('<pod>', 'name of the pod')
    .argument('[command...]', 'after --: the command and its arguments')
    .addOption(namespaceOfPod())
    .addOption(containerOption())
    .addOption(new Option('--image <image>').hideHelp());
  withExamples(run, 'rxlet run web -- ls -l /').action(
    async (
      pod: string,
      command: readonly string[],
      { image, ...flags }: { namespace: string; container?: string; image?: string },
    ) => {
      if (image !== undefined)
        throw new UsageError(
          '"rxlet run" runs a command in a pod that there is: write a manifest, and use rxlet play FILE',
        );
      const { runCommand } = await import('../commands/run.ts');
      const { connection, terminal } = await deps.context();
      await runCommand(connection, terminal, { pod, command, ...flags });
    },
  );
  const top = addListedNamespaces(program.command('top'), 'pods')
    .description('show the use of CPU and memory')
    .helpGroup('Look:')
    .addArgument(new Argument('<kind>', 'what to show').choices(['pods', 'pod', 'po', 'node', 'nodes', 'no']))
    .argument('[name]', 'only this pod')
    .option('--containers', 'a line for each container', false)
    .addOption(new Option('--sort-by <resource>', 'largest first').choices(['cpu', 'memory']))
    .option('--no-headers', 'no header');
  withExamples(top, 'rxlet top pods --sort-by memory', 'rxlet top pod web --containers', 'rxlet top node').action(
    async (
      kind: string,
      name: string | undefined,
      { headers, ...flags }: { namespace?: string; containers: boolean; sortBy?: 'cpu' | 'memory'; headers: boolean },
    ) => {
      const { topNode, topPods } = await import('../commands/top.ts');
      const { connection, terminal } = await deps.context();
      if (kind.startsWith('no')) await topNode(connection, terminal, !headers);
      else await topPods(connection, terminal, { ...flags, noHeaders: !headers, ...(name !== undefined && { name }) });
    },
  );
  const stats = program
    .command('stats')
    .description('print the statistics of the node and its pods')
    .helpGroup('')
    .addOption(
      new Option('-o, --output <form>', 'JSON of /stats/summary, or metrics')
        .choices(['summary', 'metrics'])
        .default('summary'),
    );
  withExamples(stats, 'rxlet stats', 'rxlet stats -o metrics').action(
    async ({ output }: { output: 'metrics' | 'summary' }) => {
      const { printStats } = await import('../commands/stats.ts');
      const { connection, terminal } = await deps.context();
      await printStats(connection, terminal, output);
    },
  );
}
