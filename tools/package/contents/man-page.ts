import type { ArgumentNode, CommandNode, OptionNode } from '../../../apps/agent/src/cli/command-tree.ts';

/** Facts of a man page that its command does not have. */
export interface ManPageFacts {
  /** Program and version, such as `rxlet 0.1.0`. */
  readonly source: string;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
}

/** A man page: its file name and its text for groff. */
export interface ManPage {
  readonly name: string;
  readonly text: string;
}

/** Returns the man pages (section 1) of a command and of its subcommands, from what `--help` prints: `rxlet.1`, `rxlet-get.1`. */
export function manPages(command: CommandNode, facts: ManPageFacts): readonly ManPage[] {
  return pagesBelow([], command, facts);
}

function pagesBelow(parents: readonly string[], command: CommandNode, facts: ManPageFacts): readonly ManPage[] {
  const path = [...parents, command.name];
  return [
    { name: `${path.join('-')}.1`, text: manPage(parents, command, facts) },
    ...command.commands.flatMap((subcommand) => pagesBelow(path, subcommand, facts)),
  ];
}

function manPage(parents: readonly string[], command: CommandNode, { source, timeSeconds }: ManPageFacts): string {
  const path = [...parents, command.name];
  const name = path.join('-');
  const date = new Date(timeSeconds * 1000).toISOString().slice(0, 10);
  const { description } = command;
  const relatives = [
    ...(parents.length === 0 ? [] : [parents]),
    ...command.commands.map((each) => [...path, each.name]),
  ];
  return [
    `.TH "${roff(name.toUpperCase())}" 1 "${date}" "${roff(source)}" "User Commands"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(description.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `\\fB${roff(path.join(' '))}\\fR ${roff(command.usage)}`,
    '.SH DESCRIPTION',
    roffLine(sentence(description)),
    ...list('ARGUMENTS', command.arguments.map(argumentItem)),
    ...list('OPTIONS', command.options.map(optionItem)),
    ...list(
      'COMMANDS',
      command.commands.map((each) => [`${each.name} ${each.usage}`.trim(), each.description]),
    ),
    ...(command.examples.length === 0 ? [] : ['.SH EXAMPLES', '.nf', ...command.examples.map(roffLine), '.fi']),
    ...(relatives.length === 0
      ? []
      : ['.SH SEE ALSO', relatives.map((relative) => `\\fB${roff(relative.join('-'))}\\fR(1)`).join(',\n')]),
    '',
  ].join('\n');
}

type Item = readonly [term: string, text: string];

function list(title: string, items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  return [`.SH ${title}`, ...items.flatMap(([term, text]) => ['.TP', `\\fB${roff(term)}\\fR`, roffLine(text)])];
}

function argumentItem({ name, choices, description }: ArgumentNode): Item {
  return [name, withChoices(description, choices)];
}

function optionItem({ short, long, value, choices, defaultValue, description }: OptionNode): Item {
  const term = [short, long].filter((flag) => flag !== undefined && flag !== '').join(', ');
  const text = withChoices(description, choices);
  return [
    value === undefined ? term : `${term} <${value}>`,
    defaultValue === undefined ? text : `${text} (default: ${defaultValue})`,
  ];
}

function withChoices(text: string, choices: readonly string[]): string {
  return choices.length === 0 ? text : `${text} (${choices.join(', ')})`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.:]$/.test(text) ? '' : '.'}`;
}

/**
 * Escapes text: a backslash would begin a command, and a hyphen would become a typographic one, which a shell does not read. Characters beyond ASCII are named, because groff
 * expects an encoding of its own.
 */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq').replaceAll('\n', ' ');
  return escaped.replace(/[^\0-\x7f]/gu, (character) => `\\[u${hex(character)}]`);
}

function hex(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}

/** Escapes a line of text: a dot or an apostrophe at its beginning would make it a request. */
function roffLine(text: string): string {
  const escaped = roff(text);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
