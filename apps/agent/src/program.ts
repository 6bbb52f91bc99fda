import { readFile } from 'node:fs/promises';
import { parseGoDuration, systemClock } from '@rxlet/component-base';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { connectToAgent } from './commands/agent-connection.ts';
import { printDebugState } from './commands/debug-state.ts';
import { describePod } from './commands/describe-pod.ts';
import { printEvents } from './commands/events.ts';
import { getPods, OUTPUT_FORMATS } from './commands/get-pods.ts';
import { printLogs } from './commands/logs.ts';
import { processTerminal } from './commands/terminal.ts';
import { ConfigError } from './config/config-error.ts';
import type { KubeletConfiguration } from './config/kubelet-configuration.ts';
import {
  type AgentFlags,
  DEFAULT_ROOT_DIRECTORY,
  DEFAULT_RUNTIME_ENDPOINT,
  readMachine,
  resolveSettings,
  socketPath,
} from './config/settings.ts';

/** The command line of `rxlet`: without a command, the agent itself; the commands talk to a running one. */
export function createProgram(signal: AbortSignal): Command {
  const program = new Command('rxlet')
    .description('A Kubernetes node agent: runs the pods of a folder of manifests on a container runtime.')
    .option(
      '--config <file>',
      'KubeletConfiguration (kubelet.config.k8s.io/v1beta1) in YAML or JSON; flags win over it',
    )
    .option(
      '--container-runtime-endpoint <endpoint>',
      `socket of the container runtime (default: ${DEFAULT_RUNTIME_ENDPOINT})`,
    )
    .option(
      '--image-service-endpoint <endpoint>',
      'socket of the image service (default: that of the container runtime)',
    )
    .option('--fake-runtime', 'use the embedded in-memory runtime instead, to try things out')
    .option('--pod-manifest-path <path>', 'folder with pod manifests, or one such file')
    .option('--manifest-url <url>', 'where a server has a Pod or PodList for this node')
    .option('--manifest-url-header <name:value>', 'header of the requests to it; may be given several times', collect)
    .option(
      '--image-credential-provider-config <path>',
      'CredentialProviderConfig, or a folder of them, for registries that need passwords',
    )
    .option('--image-credential-provider-bin-dir <folder>', 'the programs that it names')
    .option(
      '--root-dir <folder>',
      `where the agent keeps its files and its socket (default: ${DEFAULT_ROOT_DIRECTORY})`,
    )
    .option('--hostname-override <name>', "name of the node (default: the machine's)")
    .option('--node-ip <address>', "address of the node (default: that of the default route's interface)")
    .option('--v <level>', 'verbosity of the log; 4 and above: debugging', wholeNumber)
    .showHelpAfterError('(rxlet --help lists the flags and commands)')
    .exitOverride();
  program.argument('[command]').action(async (unknown: string | undefined, flags: AgentFlags) => {
    if (unknown !== undefined) throw new ConfigError(`there is no command "${unknown}" (rxlet --help lists them)`);
    const kubelet = flags.config === undefined ? {} : await readConfig(flags.config);
    // The other commands start quickly because they do not load the agent.
    const { runAgent } = await import('./run-agent.ts');
    await runAgent(resolveSettings(flags, kubelet, readMachine()), signal);
  });

  const terminal = processTerminal(signal);
  const connection = () => connectToAgent(socketPath(program.opts<AgentFlags>().rootDir ?? DEFAULT_ROOT_DIRECTORY));
  const namespace = (): Option => new Option('-n, --namespace <name>', 'namespace of the pod').default('default');

  program
    .command('get')
    .description('list pods')
    .addArgument(new Argument('<kind>', 'what to list').choices(['pods', 'pod', 'po']))
    .argument('[name]', 'only this pod')
    .option('-n, --namespace <name>', 'only pods of this namespace')
    .addOption(new Option('-o, --output <format>', 'form of the output').choices(OUTPUT_FORMATS).default('table'))
    .option('-w, --watch', 'go on with a line for each change', false)
    .action(
      async (
        _kind: string,
        name: string | undefined,
        options: { namespace?: string; output: (typeof OUTPUT_FORMATS)[number]; watch: boolean },
      ) => {
        await getPods(connection(), terminal, systemClock, { ...options, ...(name !== undefined && { name }) });
      },
    );
  program
    .command('describe')
    .description('show all about a pod')
    .addArgument(new Argument('<kind>', 'what to describe').choices(['pod', 'pods', 'po']))
    .argument('<name>', 'name of the pod')
    .addOption(namespace())
    .action(async (_kind: string, name: string, options: { namespace: string }) => {
      await describePod(connection(), terminal, systemClock, name, options.namespace);
    });
  program
    .command('logs')
    .description("print a container's log")
    .argument('<pod>', 'name of the pod')
    .addOption(namespace())
    .option('-c, --container <name>', 'which container, if not the first or the one that the pod names as its default')
    .option('-f, --follow', 'go on as the log grows', false)
    .option('-p, --previous', 'the instance before the current one', false)
    .option('--timestamps', 'begin each line with its time', false)
    .option('--tail <lines>', 'only so many lines from the end', wholeNumber)
    .option('--since <duration>', 'only lines younger than this, e.g. 5m', wholeSeconds)
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
          since?: number;
        },
      ) => {
        const { since: sinceSeconds, ...rest } = options;
        await printLogs(connection(), terminal, { pod, ...rest, ...(sinceSeconds !== undefined && { sinceSeconds }) });
      },
    );
  program
    .command('events')
    .description('list what happened to the pods')
    .option('-n, --namespace <name>', 'only events of this namespace')
    .option('-w, --watch', 'go on as events come', false)
    .action(async ({ watch, namespace: only }: { watch: boolean; namespace?: string }) => {
      await printEvents(connection(), terminal, systemClock, watch, only);
    });
  program
    .command('debug')
    .description('look inside the running agent')
    .addArgument(new Argument('<what>', 'what to show').choices(['state']))
    .action(async () => {
      await printDebugState(connection(), terminal);
    });
  return program;
}

async function readConfig(file: string): Promise<KubeletConfiguration> {
  const { parseKubeletConfiguration } = await import('./config/kubelet-configuration.ts');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read the configuration: ${(error as Error).message}`);
  }
  return parseKubeletConfiguration(text, file);
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function wholeSeconds(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 1000)
    throw new InvalidArgumentError('It must be a duration of a second or more, like 90s or 5m.');
  return Math.round(ms / 1000);
}
