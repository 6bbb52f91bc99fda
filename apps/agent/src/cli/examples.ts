import type { Command } from 'commander';

const examples = new WeakMap<Command, readonly string[]>();

/** Records examples of a command whose help prints them itself. */
export function setExamples(command: Command, lines: readonly string[]): void {
  examples.set(command, lines);
}

/** Adds examples to the help of a command: command lines, with a comment after `#` perhaps. */
export function withExamples(command: Command, ...lines: readonly [string, ...string[]]): Command {
  setExamples(command, lines);
  return command.addHelpText('after', () => ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));
}

/** Returns the examples of a command. */
export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}
