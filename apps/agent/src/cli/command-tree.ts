import type { Argument, Command, Option } from 'commander';
import { examplesOf } from './examples.ts';

/** An option of a command, as data. */
export interface OptionNode {
  /** `-o`, if it has a short form. */
  readonly short: string | undefined;
  /** `--output`. */
  readonly long: string;
  /** Name of its value; absent for a switch. */
  readonly value: string | undefined;
  readonly choices: readonly string[];
  /** Default that its description does not name. */
  readonly defaultValue: string | undefined;
  readonly description: string;
}

/** An argument of a command, as data. */
export interface ArgumentNode {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

/** A command with all that its help prints: the source of completions and of man pages. */
export interface CommandNode {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  /** Group in the help of its parent; empty for none. */
  readonly group: string;
  readonly arguments: readonly ArgumentNode[];
  /** Also those that the short help leaves out. */
  readonly options: readonly OptionNode[];
  readonly examples: readonly string[];
  readonly commands: readonly CommandNode[];
}

/** Returns a command and all below it as data. Hidden commands and options are left out. */
export function commandTree(command: Command): CommandNode {
  const commands = command.commands.filter((each) => !isHidden(each));
  return {
    name: command.name(),
    usage: command.usage(),
    description: command.description(),
    group: command.helpGroup(),
    arguments: command.registeredArguments.map(argumentNode),
    options: command.options.filter(({ hidden }) => !hidden).map(optionNode),
    examples: examplesOf(command),
    commands: commands.map(commandTree),
  };
}

/** Reports whether a command is left out of the help. */
export function isHidden(command: Command): boolean {
  // The library has no reader for the option of the same name.
  return (command as Command & { readonly _hidden?: boolean })._hidden === true;
}

function argumentNode(argument: Argument): ArgumentNode {
  return {
    name: argument.name(),
    isRequired: argument.required,
    isVariadic: argument.variadic,
    choices: argument.argChoices ?? [],
    description: argument.description,
  };
}

function optionNode({ short, long, flags, argChoices, defaultValue, description }: Option): OptionNode {
  return {
    short: short ?? undefined,
    long: long ?? flags,
    value: /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1],
    choices: argChoices ?? [],
    defaultValue: defaultText(defaultValue),
    description,
  };
}

/** Switches are off by default, which says nothing. */
function defaultText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return Array.isArray(value) ? value.join(',') : undefined;
}
