import type { PodNetworkMode } from '@rxlet/fake-cri';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** What the command line of `fake-runtime` says. */
export interface Flags {
  /** Address of the socket. */
  readonly listen: string;
  /** Path of the file that keeps what exists. Unset: nothing outlives the process. */
  readonly stateFile: string | undefined;
  /** Path of the catalogue of images. */
  readonly images: string | undefined;
  /** Path of the behaviour scripts. */
  readonly script: string | undefined;
  readonly podNetwork: PodNetworkMode;
  /** How long each call that changes something takes, in milliseconds. */
  readonly latencyMs: number;
  /** Makes ids and made-up numbers repeat. Unset: they are random. */
  readonly seed: number | undefined;
  /** How much is logged: 0 warnings and errors, 1 also what the server does, 2 everything. */
  readonly verbosity: number;
}

/** What parsing came to: flags, or text to print before leaving with an exit code. */
export type ParsedFlags =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedFlags {
  let output = '';
  const command = new Command('fake-runtime')
    .description('A container runtime for tests: CRI v1 on a unix socket, containers only in memory.')
    .option('--listen <address>', 'where to serve, e.g. unix:///run/fake.sock (required)')
    .option('--latency <ms>', 'how long each call that changes something takes, in milliseconds', wholeNumber, 0)
    .option('--state-file <path>', 'keeps sandboxes, containers and images there while nothing runs (default: nothing)')
    .option('--images <path>', 'YAML file with the images whose properties matter')
    .option('--script <path>', 'YAML file with behaviour scripts by image')
    .addOption(
      new Option('--pod-network <mode>', 'whether the ports of pods only exist in the process, or really listen')
        .choices(['in-process', 'loopback'])
        .default('in-process'),
    )
    .option('--seed <number>', 'makes ids repeat from run to run (default: random)', wholeNumber)
    .option(
      '--v <level>',
      'log level: 0 warnings and errors, 1 also the life of the server, 2 also one line a mutation',
      wholeNumber,
      0,
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (output += text), writeErr: (text) => (output += text) });
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'help', text: output };
    return { kind: 'error', message: error.message.replace(/^error: /, '').replaceAll('\n', ' ') };
  }
  const options = command.opts<{
    listen?: string;
    latency: number;
    stateFile?: string;
    images?: string;
    script?: string;
    podNetwork: PodNetworkMode;
    seed?: number;
    v: number;
  }>();
  const { listen, latency, stateFile, images, script, podNetwork, seed, v } = options;
  // Not a required option of the command: it would be missed first where it is only misspelt.
  if (listen === undefined) return { kind: 'error', message: "option '--listen <address>' is missing" };
  return {
    kind: 'flags',
    flags: { listen, latencyMs: latency, stateFile, images, script, podNetwork, seed, verbosity: v },
  };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}
