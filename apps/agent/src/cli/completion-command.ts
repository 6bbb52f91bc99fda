import { Argument, type Command } from 'commander';
import type { CommandDeps } from './command-deps.ts';
import { commandTree } from './command-tree.ts';
import { withExamples } from './examples.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Adds the command that prints completions, which are made from the commands of `program`. */
export function addCompletionCommand(program: Command, deps: Pick<CommandDeps, 'signal'>): void {
  const completion = program
    .command('completion')
    .description('print the completions of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS));
  withExamples(
    completion,
    'source <(rxlet completion bash)',
    'rxlet completion zsh > "${fpath[1]}/_rxlet"',
    'rxlet completion fish > ~/.config/fish/completions/rxlet.fish',
  ).action(async (shell: (typeof SHELLS)[number]) => {
    const { completionScript } = await import('../commands/completion.ts');
    const { processTerminal } = await import('../commands/terminal.ts');
    processTerminal(deps.signal, false).print(completionScript(shell, commandTree(program)));
  });
}
