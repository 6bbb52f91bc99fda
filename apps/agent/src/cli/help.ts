import { type Command, Help, Option } from 'commander';
import { examplesOf } from './examples.ts';

/** Flags of the agent that the short help has, with a text of a few words; `rxlet options` lists all. */
const MAIN_FLAGS: Readonly<Record<string, string>> = {
  '--pod-manifest-path': 'folder with pod manifests, or one such file',
  '--container-runtime-endpoint': "socket of the runtime (default: containerd's)",
  '--fake-runtime': 'an embedded runtime that only pretends',
  '--kubeconfig': 'join a cluster with these credentials of a node',
  '--config': 'KubeletConfiguration in YAML or JSON',
  '--root-dir': 'folder of its files (default: /var/lib/kubelet)',
  '--check': 'first check the machine, as rxlet check does',
};

/** Flags of the program that every command takes, with a text of a few words. */
const GLOBAL_OPTIONS: readonly Option[] = [
  new Option('--root-dir <folder>', 'which agent (default: $RXLET_ROOT, or the one that runs)'),
  new Option('--color <when>', 'auto, always or never'),
];

/** Longest lines of a help. */
const WIDTH = 80;

/** Makes the help of a program and its commands fit a screen. */
export function configureHelp(program: Command): void {
  program.configureHelp({
    helpWidth: WIDTH,
    showGlobalOptions: true,
    visibleGlobalOptions: () => [...GLOBAL_OPTIONS],
    optionDescription: describeOption,
    formatHelp: (command, helper) =>
      command === program ? programHelp(program) : Help.prototype.formatHelp.call(helper, command, helper),
  });
}

/** Returns the list of all flags of the agent. */
export function allFlags(program: Command): string {
  const help = Object.assign(new Help(), { helpWidth: 100, optionDescription: describeOption });
  const options = program.options.filter(({ hidden }) => !hidden);
  const width = Math.max(...options.map((option) => help.optionTerm(option).length));
  return options
    .map((option) => help.formatItem(help.optionTerm(option), width, describeOption(option), help))
    .join('\n');
}

/** As the library's, but a switch that is off by default does not say so. */
function describeOption(option: Option): string {
  const { defaultValueDescription, argChoices, description } = option;
  const defaultValue: unknown = option.defaultValue;
  const notes = [
    ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean'
      ? []
      : [`default: ${defaultValueDescription ?? JSON.stringify(defaultValue)}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** Returns the help of the program itself: its commands by groups, and the flags of the agent that are used most. */
function programHelp(program: Command): string {
  const visible = new Help().visibleCommands(program);
  const groups = [...new Set(visible.map((command) => command.helpGroup()))].filter((group) => group !== '');
  const listed = groups.flatMap((group) => [
    group,
    ...visible
      .filter((command) => command.helpGroup() === group)
      .map((command) => row(command.name(), command.summary() || command.description())),
  ]);
  const others = visible.filter((command) => command.helpGroup() === '').map((command) => command.name());
  const flags = program.options.flatMap(({ long = '' }) => {
    const text = MAIN_FLAGS[long];
    return text === undefined ? [] : [row(long, text)];
  });
  return [
    'Usage: rxlet [flags]             run the agent',
    '       rxlet COMMAND [flags]     talk to the running agent',
    '',
    program.description(),
    ...listed,
    `Also: ${others.join(', ')}`,
    'Flags of the agent (rxlet options lists all):',
    ...flags,
    'Examples:',
    ...examplesOf(program).map((line) => `  ${line}`),
    '',
  ].join('\n');
}

const TERM_WIDTH = 32;

function row(term: string, text: string): string {
  return `  ${term.padEnd(TERM_WIDTH - 2)}${text}`;
}
