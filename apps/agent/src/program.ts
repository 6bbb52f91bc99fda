import { readFileSync } from 'node:fs';
import type { FlagHelp } from '@rxlet/agent-api/configuration';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDeps } from './cli/command-deps.ts';
import { addCheckCommand } from './cli/check-command.ts';
import { addCompletionCommand } from './cli/completion-command.ts';
import { setExamples, withExamples } from './cli/examples.ts';
import { addGetCommands } from './cli/get-commands.ts';
import { allFlags, configureHelp } from './cli/help.ts';
import { addInsteadCommands } from './cli/instead-commands.ts';
import { addNodeCommands } from './cli/node-commands.ts';
import { wholeNumber } from './cli/options.ts';
import { addPlayCommand } from './cli/play-command.ts';
import { addPodCommands } from './cli/pod-commands.ts';
import { addStreamCommands } from './cli/stream-commands.ts';
import { addUiCommand } from './cli/ui-command.ts';
import type { CommandContext } from './commands/command-context.ts';
import type { StreamCommandContext } from './commands/streams/stream-context.ts';
import { ROOT_VARIABLE, withRoot } from './config/root-variable.ts';
import type { AgentSettings } from './config/load-settings.ts';
import { type OwnFlags, withoutOwnFlags } from './config/own-flags.ts';
import { DEFAULT_ROOT_DIRECTORY, DEFAULT_RUNTIME_ENDPOINT } from './config/standard-places.ts';
import type { ColorChoice } from './output/colors.ts';

const SEVERAL_AGENTS = `
Without --kubeconfig, and with --fake-runtime, only the ports that are set are open. Several agents on one machine need
each their own --root-dir, --hostname-override, --cert-dir and container runtime, and those with --kubeconfig their own
--port and --healthz-port, or 0 for no health port. All other flags of a kubelet are accepted as --flag=value.`;

/**
 * The command line of `rxlet`: without a command, the agent itself; the commands talk to a running one.
 * Each action imports its own modules, so that a command does not load the agent. `moduleFlags` are the flags of the agent's modules; see {@link loadModuleFlags}.
 */
export function createProgram(
  args: readonly string[],
  signal: AbortSignal,
  moduleFlags: readonly FlagHelp[] = [],
): Command {
  const program: Command = new Command('rxlet')
    .description('A Kubernetes node agent: runs the pods of manifests, or of a cluster.')
    .option(
      '--config <file>',
      'KubeletConfiguration (kubelet.config.k8s.io/v1beta1) in YAML or JSON; flags win over it',
    )
    .option('--config-dir <folder>', 'folder of *.conf files that are merged into the configuration')
    .option(
      '--container-runtime-endpoint <endpoint>',
      `socket of the container runtime (default: ${DEFAULT_RUNTIME_ENDPOINT})`,
    )
    .option(
      '--image-service-endpoint <endpoint>',
      'socket of the image service (default: that of the container runtime)',
    )
    .option('--fake-runtime', 'use the embedded in-memory runtime instead, to try things out')
    .option('--ui', 'serve the page of "rxlet ui" as well, and print its address, to try things out')
    .option('--check', 'check first whether the machine is fit to be a node, as "rxlet check" does')
    .option('--docker', 'run pods on Docker instead, without a CRI server')
    .option('--docker-endpoint <endpoint>', "Docker's socket (default: unix:///var/run/docker.sock)")
    .option('--docker-sandbox-image <image>', "image that holds a pod's namespaces in Docker")
    .option('--cni-conf-dir <folder>', 'CNI configurations for pods in Docker (default: /etc/cni/net.d)')
    .option('--cni-bin-dir <folders>', 'CNI plugins for pods in Docker, separated by commas (default: /opt/cni/bin)')
    .option('--restrict-oom-score-adj', "set no OOM score adjustment below the agent's own; for Docker in a container")
    .option('--kubeconfig <file>', 'join a cluster with these credentials of a node')
    .option('--bootstrap-kubeconfig <file>', 'credentials by which the node requests its client certificate')
    .option(
      '--legacy-kubelet-defaults',
      "without --config: the kubelet's defaults, which let everybody who reaches the node run commands as root",
    )
    .option(
      '--root-dir <folder>',
      `folder of the agent's files and its socket (default: $${ROOT_VARIABLE}, else ${DEFAULT_ROOT_DIRECTORY}; commands find the only running agent)`,
    )
    .option('--hostname-override <name>', "name of the node (default: the machine's)")
    .option('--node-ip <address>', "address of the node (default: that of the default route's interface)")
    .option('--oom-score-adj <score>', "OOM score adjustment of the agent's own process (default: -999)", oomScoreAdj)
    .option('--v <level>', 'verbosity of the log; 4 and above: debugging', wholeNumber)
    .addOption(
      new Option('--color <when>', 'colours of tables; NO_COLOR turns them off')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .version(`rxlet v${packageVersion()}`, '--version', 'print the version and exit')
    .helpOption('-h, --help', 'print help and exit')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(rxlet --help lists the commands, rxlet options all flags of the agent)')
    .exitOverride();
  configureHelp(program);
  for (const { flag, argument, text } of moduleFlags)
    program.option(argument === undefined ? `--${flag}` : `--${flag} <${argument}>`, text);
  program.allowUnknownOption();
  program.argument('[command]').action(async (_command: string | undefined, flags: OwnFlags) => {
    const { loadSettings } = await import('./config/load-settings.ts');
    // All other flags are the kubelet's; its parser also rejects what is not a flag.
    const load = (): Promise<AgentSettings> => loadSettings(withRoot(withoutOwnFlags(args), process.env), flags);
    const settings = await load();
    if (flags.check === true) {
      const { checkBeforeStart } = await import('./commands/check.ts');
      const { processTerminal } = await import('./commands/terminal.ts');
      await checkBeforeStart(settings, processTerminal(signal, false));
    }
    const { runAgent } = await import('./run-agent.ts');
    await runAgent(settings, signal, load);
  });
  setExamples(program, [
    'rxlet --fake-runtime --pod-manifest-path ./pods --root-dir .rxlet',
    'rxlet play shop.yaml',
    'rxlet get pods -o wide',
  ]);

  const colors = async (): Promise<boolean> => {
    const { usesColors } = await import('./output/colors.ts');
    return usesColors(program.opts<{ color: ColorChoice }>().color, process.stdout.isTTY, process.env);
  };
  const rootDirectory = async (): Promise<string> => {
    const { findRootDirectory } = await import('./config/find-agent.ts');
    return findRootDirectory(program.opts<{ rootDir?: string }>().rootDir, process.env);
  };
  const context = async (): Promise<CommandContext> => {
    const { createCommandContext } = await import('./commands/command-context.ts');
    return createCommandContext(await rootDirectory(), signal, await colors());
  };
  const streams = async (): Promise<StreamCommandContext> => {
    const { processConsole } = await import('./commands/streams/console.ts');
    return { ...(await context()), console: processConsole() };
  };
  const deps: CommandDeps = { args, signal, rootDirectory, context, streams };
  program.commandsGroup('Look:');
  addGetCommands(program, deps);
  addPodCommands(program, deps);
  program.commandsGroup('Act:');
  addPlayCommand(program, deps);
  addStreamCommands(program, deps);
  program.commandsGroup('Node and agent:');
  addCheckCommand(program, deps);
  addNodeCommands(program, deps);
  addUiCommand(program, deps);
  program.commandsGroup('');
  addCompletionCommand(program, deps);
  const options = program.command('options').description('list all flags of the agent');
  withExamples(options, 'rxlet options').action(
    () => void process.stdout.write(`${allFlags(program)}\n${SEVERAL_AGENTS}\n`),
  );
  addInsteadCommands(program);
  // Set after the commands, which would inherit it: a word too many of theirs is an error.
  return program.allowExcessArguments();
}

/** Commands that show all flags. */
const OF_ALL_FLAGS: ReadonlySet<string> = new Set(['options', 'completion']);

/** Loads the flags of the agent's modules, unless the arguments begin with a command, perhaps after `--root-dir`: a command does not load the agent. */
export async function loadModuleFlags(args: readonly string[]): Promise<readonly FlagHelp[]> {
  let index = 0;
  while (args[index]?.startsWith('--root-dir') === true) index += args[index] === '--root-dir' ? 2 : 1;
  const first = args[index];
  const isCommand = first !== undefined && !first.startsWith('-') && !OF_ALL_FLAGS.has(first);
  if (first === '--version' || isCommand) return [];
  return (await import('./config/module-flags.ts')).FLAG_HELP;
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function oomScoreAdj(text: string): number {
  const score = Number(text);
  if (!/^-?\d+$/.test(text) || score < -1000 || score > 1000)
    throw new InvalidArgumentError('It must be a whole number from -1000 to 1000.');
  return score;
}
