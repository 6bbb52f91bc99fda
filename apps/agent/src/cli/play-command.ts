import type { Command } from 'commander';
import { UsageError } from '../config/config-error.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';
import { shortValue } from './options.ts';

const HELP = `
Plays Pods, ConfigMaps, Secrets, and the template of each Deployment, DaemonSet,
StatefulSet and Job, as one pod, on the running agent. If none runs, one is
started in the background on the given runtime, which no kubelet may use: an
agent removes pods that are not its own. With the last --down it ends.`;

interface PlayFlags {
  readonly down: boolean;
  readonly replace: boolean;
  readonly timeout: string;
  readonly namespace: string;
}

/** Adds the command that runs the pods of a file. */
export function addPlayCommand(program: Command, deps: CommandDeps): void {
  const command = program
    .command('play')
    .summary('run the pods of a file until they are ready')
    .description('run the pods of a file, and show what they wait for until they are ready')
    .argument('<file>', 'YAML or JSON; - for standard input')
    .option('--down', 'remove them again', false)
    .option('--replace', 'replace what is there and differs', false)
    .option('--timeout <duration>', 'fail after this time', '2m')
    .option('-n, --namespace <name>', 'namespace of objects that name none', shortValue, 'default')
    .addHelpText('after', HELP);
  withExamples(
    command,
    'rxlet play shop.yaml',
    'rxlet play shop.yaml --fake-runtime     # starts an agent to try it out',
    'rxlet play shop.yaml --replace',
    'rxlet play shop.yaml --down',
  ).action(async (path: string, flags: PlayFlags) => {
    if (flags.down && flags.replace) throw new UsageError('--down excludes --replace');
    const { playCommand } = await import('../commands/play-command.ts');
    await playCommand(deps, {
      ...flags,
      path,
      agentFlags: agentFlags(program),
      namedRoot: program.opts<{ rootDir?: string }>().rootDir,
    });
  });
}

/** Flags of the command line that concern a command, not the agent that is started for it. */
const OWN_FLAGS: ReadonlySet<string> = new Set(['--root-dir', '--color', '--ui']);

/** Returns the flags of the agent on the command line. */
function agentFlags(program: Command): string[] {
  return program.options.flatMap((option) => {
    const { long } = option;
    const name = option.attributeName();
    if (program.getOptionValueSource(name) !== 'cli' || long === undefined || OWN_FLAGS.has(long)) return [];
    const value: unknown = program.getOptionValue(name);
    return value === true ? [long] : [long, String(value)];
  });
}
