import type { Command } from 'commander';
import { UsageError } from '../config/config-error.ts';
import { type OwnFlags, withoutOwnFlags } from '../config/own-flags.ts';
import { withRoot } from '../config/root-variable.ts';
import type { CommandDeps } from './command-deps.ts';
import { withExamples } from './examples.ts';
import { shortValue } from './options.ts';

const HELP = `
Checks kernel, cgroups, runtime, pod network, ports, swap, time, certificates
and disk for an agent with the given flags, and names the way out of each
problem. It changes nothing. The exit code is 1 when the machine is not fit.`;

/** Adds the command that checks whether this machine is fit to be a node. */
export function addCheckCommand(program: Command, deps: CommandDeps): void {
  const command = program
    .command('check')
    .summary('is this machine fit to be a node?')
    .description('check whether this machine is fit to be a node')
    .option('-o, --output <format>', 'json', shortValue)
    .usage('[flags of the agent]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', HELP);
  withExamples(
    command,
    'rxlet check',
    'rxlet check --config /var/lib/kubelet/config.yaml',
    'rxlet check --fake-runtime --root-dir .rxlet',
  ).action(async ({ output }: { output?: string }) => {
    if (output !== undefined && output !== 'json') throw new UsageError(`--output must be 'json', not '${output}'`);
    const { loadSettings } = await import('../config/load-settings.ts');
    const { printCheck } = await import('../commands/check.ts');
    const { processTerminal } = await import('../commands/terminal.ts');
    const { usesColors } = await import('../output/colors.ts');
    const flags = program.opts<OwnFlags>();
    const settings = await loadSettings(withRoot(withoutOwnFlags(agentArguments(deps.args)), process.env), flags);
    const colors = usesColors(flags.color ?? 'auto', process.stdout.isTTY, process.env);
    await printCheck(settings, processTerminal(deps.signal, colors), output === 'json');
  });
}

/** Returns the arguments without the command and its own flag. */
function agentArguments(args: readonly string[]): string[] {
  const at = args.indexOf('check');
  const rest = args.filter((_, index) => index !== at);
  return rest.filter(
    (arg, index) =>
      !/^(?:-o|--output)(?:=|$)/.test(arg) && !/^(?:-o|--output)$/.test(rest[index - 1] ?? '') && arg !== '-ojson',
  );
}
