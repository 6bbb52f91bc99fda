import { readFileSync } from 'node:fs';
import type { FlagHelp } from '@rxlet/agent-api/configuration';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import { OUTPUT_FORMATS } from './commands/output-formats.ts';
import { addListedNamespaces, namespaceOfPod } from './namespace-options.ts';
import { addStreamCommands } from './stream-commands.ts';
import { addUiCommand } from './ui-command.ts';
import { UsageError } from './config/config-error.ts';
import { type OwnFlags, withoutOwnFlags } from './config/own-flags.ts';
import { DEFAULT_ROOT_DIRECTORY, DEFAULT_RUNTIME_ENDPOINT } from './config/standard-places.ts';

const SEVERAL_AGENTS = `
Without --kubeconfig, and with --fake-runtime, only the ports that are set are open. Several agents on one machine need
each their own --root-dir, --hostname-override, --cert-dir and container runtime, and those with --kubeconfig their own
--port and --healthz-port, or 0 for no health port. All other flags of a kubelet are accepted as --flag=value.`;

const DRAIN_HELP = `
The signal SIGUSR2 to the agent drains the node as well. A drained node is not ready. It takes pods again after
"rxlet drain --cancel", an orderly restart of the agent (SIGTERM) or a boot; only a restart also starts static pods again.
A drain goes on after a crash of the agent.`;

/**
 * The command line of `rxlet`: without a command, the agent itself; the commands talk to a running one.
 * Each action imports its own modules, so that a command does not load the agent. `moduleFlags` are the flags of the agent's modules; see {@link loadModuleFlags}.
 */
export function createProgram(
  args: readonly string[],
  signal: AbortSignal,
  moduleFlags: readonly FlagHelp[] = [],
): Command {
  const program = new Command('rxlet')
    .description('A Kubernetes node agent: runs the pods of a folder of manifests on a container runtime.')
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
      `where the agent keeps its files and its socket (default: ${DEFAULT_ROOT_DIRECTORY})`,
    )
    .option('--hostname-override <name>', "name of the node (default: the machine's)")
    .option('--node-ip <address>', "address of the node (default: that of the default route's interface)")
    .option('--oom-score-adj <score>', "OOM score adjustment of the agent's own process (default: -999)", oomScoreAdj)
    .option('--v <level>', 'verbosity of the log; 4 and above: debugging', wholeNumber)
    .version(`rxlet v${packageVersion()}`, '--version', 'print the version and exit')
    .helpOption('-h, --help', 'print the flags and commands and exit')
    .addHelpText('after', SEVERAL_AGENTS)
    .showHelpAfterError('(rxlet --help lists the flags and commands)')
    .exitOverride();
  for (const { flag, argument, text } of moduleFlags)
    program.option(argument === undefined ? `--${flag}` : `--${flag} <${argument}>`, text);
  program.allowUnknownOption().allowExcessArguments();
  program.argument('[command]').action(async (_command: string | undefined, flags: OwnFlags) => {
    const { loadSettings } = await import('./config/load-settings.ts');
    // All other flags are the kubelet's; its parser also rejects what is not a flag.
    const settings = await loadSettings(withoutOwnFlags(args), flags);
    const { runAgent } = await import('./run-agent.ts');
    await runAgent(settings, signal, () => loadSettings(withoutOwnFlags(args), flags));
  });

  const rootDirectory = (): string => program.opts<{ rootDir?: string }>().rootDir ?? DEFAULT_ROOT_DIRECTORY;
  const context = async (): Promise<CommandContext> => {
    const { createCommandContext } = await import('./commands/command-context.ts');
    return createCommandContext(rootDirectory(), signal);
  };

  addListedNamespaces(program.command('get'), 'pods')
    .description('list pods')
    .addArgument(new Argument('<kind>', 'what to list').choices(['pods', 'pod', 'po']))
    .argument('[name]', 'only this pod')
    .addOption(new Option('-o, --output <format>', 'form of the output').choices(OUTPUT_FORMATS).default('table'))
    .option('-w, --watch', 'continue with a line for each change', false)
    .action(
      async (
        _kind: string,
        name: string | undefined,
        options: {
          namespace?: string;
          allNamespaces?: true;
          output: (typeof OUTPUT_FORMATS)[number];
          watch: boolean;
        },
      ) => {
        if (name !== undefined && options.allNamespaces)
          throw new UsageError('a resource cannot be retrieved by name across all namespaces');
        const { getPods } = await import('./commands/get-pods.ts');
        const { connection, terminal, clock } = await context();
        await getPods(connection, terminal, clock, { ...options, ...(name !== undefined && { name }) });
      },
    );
  program
    .command('describe')
    .description('show all about a pod')
    .addArgument(new Argument('<kind>', 'what to describe').choices(['pod', 'pods', 'po']))
    .argument('<name>', 'name of the pod')
    .addOption(namespaceOfPod())
    .action(async (_kind: string, name: string, options: { namespace: string }) => {
      const { describePod } = await import('./commands/describe-pod.ts');
      const { connection, terminal, clock } = await context();
      await describePod(connection, terminal, clock, name, options.namespace);
    });
  program
    .command('explain')
    .description('say why a pod waits: what it waits for, since when, its last error, and what would help')
    .argument('[pod]', 'name of the pod; without it, the node and all pods that are not as desired')
    .addOption(namespaceOfPod())
    .addOption(new Option('-o, --output <format>', 'form of the output').choices(['text', 'json']).default('text'))
    .option('-w, --watch', 'go on with each change', false)
    .action(
      async (pod: string | undefined, options: { namespace: string; output: 'text' | 'json'; watch: boolean }) => {
        const { explain } = await import('./commands/explain.ts');
        const { connection, terminal, clock } = await context();
        await explain(connection, terminal, clock, pod, options);
      },
    );
  program
    .command('logs')
    .description("print a container's log")
    .argument('<pod>', 'name of the pod')
    .addOption(namespaceOfPod())
    .option('-c, --container <name>', 'which container, if not the first or the one that the pod names as its default')
    .option('-f, --follow', 'go on as the log grows', false)
    .option('-p, --previous', 'the instance before the current one', false)
    .option('--timestamps', 'begin each line with its time', false)
    .option('--tail <lines>', 'only so many lines from the end', wholeNumber)
    .option('--since <duration>', 'only lines younger than this, e.g. 5m')
    .option('--since-time <time>', 'only lines from this time on, e.g. 2026-01-31T08:00:00Z')
    .option('--limit-bytes <bytes>', 'so many bytes of each log at most', wholeNumber)
    .option('--all-containers', 'the logs of all containers of the pod', false)
    .option('--prefix', 'begin each line with its pod and container', false)
    .action(
      async (
        pod: string,
        options: {
          namespace: string;
          container?: string;
          follow: boolean;
          previous: boolean;
          timestamps: boolean;
          tail?: number;
          since?: string;
          sinceTime?: string;
          limitBytes?: number;
          allContainers: boolean;
          prefix: boolean;
        },
      ) => {
        const { printLogs } = await import('./commands/logs.ts');
        const { connection, terminal } = await context();
        await printLogs(connection, terminal, { pod, ...options });
      },
    );
  program
    .command('restart')
    .description('restart the containers of a pod in place, without its controller or the API server')
    .argument('<pod>', 'name of the pod')
    .addOption(namespaceOfPod())
    .option('-c, --container <name>', 'only this container')
    .action(async (pod: string, options: { namespace: string; container?: string }) => {
      const { restart } = await import('./commands/restart.ts');
      const { connection, terminal } = await context();
      await restart(connection, terminal, pod, options);
    });
  addStreamCommands(program, args, context);
  addListedNamespaces(program.command('events'), 'events')
    .description('list what happened to the pods')
    .option('-w, --watch', 'go on as events come', false)
    .action(async ({ watch, namespace: only }: { watch: boolean; namespace?: string }) => {
      const { printEvents } = await import('./commands/events.ts');
      const { connection, terminal, clock } = await context();
      await printEvents(connection, terminal, clock, watch, only);
    });
  program
    .command('drain')
    .description('end all pods in the order of their priorities, and reject new ones')
    .option('--grace <duration>', 'time for all pods, e.g. 30s (default: that of a shutdown of the node, or 30s)')
    .option('--cancel', 'take pods again', false)
    .addHelpText('after', DRAIN_HELP)
    .action(async (options: { grace?: string; cancel: boolean }) => {
      const { drain } = await import('./commands/drain.ts');
      const { connection, terminal, clock } = await context();
      await drain(connection, terminal, clock, options);
    });
  addUiCommand(program, rootDirectory, signal);
  program
    .command('debug')
    .description('look inside the running agent')
    .addArgument(new Argument('<what>', 'what to show').choices(['state']))
    .action(async () => {
      const { printDebugState } = await import('./commands/debug-state.ts');
      const { connection, terminal } = await context();
      await printDebugState(connection, terminal);
    });
  return program;
}

/** Loads the flags of the agent's modules, unless the arguments begin with a command, perhaps after `--root-dir`: a command does not load the agent. */
export async function loadModuleFlags(args: readonly string[]): Promise<readonly FlagHelp[]> {
  let index = 0;
  while (args[index]?.startsWith('--root-dir') === true) index += args[index] === '--root-dir' ? 2 : 1;
  const first = args[index];
  if (first === '--version' || (first !== undefined && !first.startsWith('-'))) return [];
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

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
