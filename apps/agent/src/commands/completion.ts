import type { ArgumentNode, CommandNode, OptionNode } from '../cli/command-tree.ts';

/** A shell with completions. */
export type Shell = 'bash' | 'fish' | 'zsh';

/** Words that may come at one place. */
interface Choices {
  readonly words: readonly string[];
  /** Whether names of pods of the running agent may come, too. */
  readonly hasPods: boolean;
}

/** Command that lists the names of pods, without a sound when no agent runs. */
const POD_NAMES = 'rxlet get pods --no-headers -o custom-columns=N:.metadata.name 2>/dev/null';
const KINDS = ['pods', 'events', 'nodes', 'manifests'];

/** Returns the completions of a program for a shell, as a script that the shell reads. */
export function completionScript(shell: Shell, program: CommandNode): string {
  switch (shell) {
    case 'bash':
      return bashScript(program);
    case 'zsh':
      // Completions of bash work in zsh, by its own emulation.
      return `#compdef rxlet\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`;
    case 'fish':
      return fishScript(program);
  }
}

/** Returns what may come as an argument of a command. */
export function argumentChoices({ arguments: args }: CommandNode): Choices {
  const takesKind = args.some(({ name }) => name === 'kind');
  return {
    words: [...args.flatMap(({ choices }) => choices), ...(takesKind && !args.some(hasChoices) ? KINDS : [])],
    hasPods: takesKind || args.some(({ name }) => ['pod', 'name', 'source', 'destination'].includes(name)),
  };
}

function hasChoices({ choices }: ArgumentNode): boolean {
  return choices.length > 0;
}

function bashScript(program: CommandNode): string {
  const commands = program.commands.map(({ name }) => name);
  const global = flagsOf(program.options);
  const cases = program.commands.map((command) => {
    const { words, hasPods } = argumentChoices(command);
    const pods = hasPods ? ` $(${POD_NAMES})` : '';
    return `    ${command.name}) flags="${flagsOf(command.options).join(' ')}"; [[ $cur == -* ]] || words="${words.join(' ')}${pods}" ;;`;
  });
  const values = [program, ...program.commands].flatMap(({ options }) =>
    options.filter(({ choices }) => choices.length > 0),
  );
  const valueCases = uniqueBy(values, ({ long }) => long).map(
    ({ short, long, choices }) => `    ${[short, long].filter(Boolean).join('|')}) words="${choices.join(' ')}" ;;`,
  );
  const files = [program, ...program.commands].flatMap(({ options }) => options.filter(takesPath));
  const fileFlags = uniqueBy(files, ({ long }) => long).map(({ long }) => long);
  return `# Completions of rxlet, made from its commands.
_rxlet() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command="" words="" flags="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " ${commands.join(' ')} " in *" \${COMP_WORDS[i]} "*) command=\${COMP_WORDS[i]}; break ;; esac
  done
  case $prev in
${valueCases.join('\n')}
    ${fileFlags.join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  if [[ -z $words ]]; then
    case $command in
    "") words="${commands.join(' ')}"; flags="${global.join(' ')}" ;;
${cases.join('\n')}
    esac
    [[ $cur == -* ]] && words="$flags --help --root-dir --color"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _rxlet rxlet`;
}

function fishScript(program: CommandNode): string {
  const commands = program.commands.map(({ name }) => name);
  const lines = [
    '# Completions of rxlet, made from its commands.',
    'complete -c rxlet -f',
    `set -l commands ${commands.join(' ')}`,
    ...program.commands.map(
      ({ name, description }) =>
        `complete -c rxlet -n "not __fish_seen_subcommand_from $commands" -a ${name} -d ${quoted(description)}`,
    ),
    ...program.options.map((option) => fishOption(option, 'not __fish_seen_subcommand_from $commands')),
  ];
  for (const command of program.commands) {
    const condition = `__fish_seen_subcommand_from ${command.name}`;
    const { words, hasPods } = argumentChoices(command);
    if (words.length > 0) lines.push(`complete -c rxlet -n "${condition}" -a "${words.join(' ')}"`);
    if (hasPods) lines.push(`complete -c rxlet -n "${condition}" -a "(${POD_NAMES})"`);
    lines.push(...command.options.map((option) => fishOption(option, condition)));
  }
  return lines.join('\n');
}

function fishOption(option: OptionNode, condition: string): string {
  const { short, long, value, choices, description } = option;
  const parts = [
    `complete -c rxlet -n "${condition}"`,
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.replace(/^--/, '')}`,
    ...(value === undefined ? [] : ['-r']),
    ...(takesPath(option) ? ['-F'] : []),
    ...(choices.length > 0 ? [`-a "${choices.join(' ')}"`] : []),
    `-d ${quoted(description)}`,
  ];
  return parts.join(' ');
}

function flagsOf(options: readonly OptionNode[]): string[] {
  return options.flatMap(({ short, long }) => [...(short === undefined ? [] : [short]), long]);
}

function takesPath({ value = '' }: OptionNode): boolean {
  return /^(?:file|folder|path)$/.test(value);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function uniqueBy<T>(values: readonly T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
