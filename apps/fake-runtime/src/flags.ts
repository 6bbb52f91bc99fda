import { readFileSync } from 'node:fs';
import type { PodNetworkMode } from '@rxlet/fake-cri/network';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** Command line of `fake-runtime`. */
export interface Flags {
  /** Address of the socket. */
  readonly listen: string;
  /** Path of the state file. Unset: nothing outlives the process. */
  readonly stateFile: string | undefined;
  /** Path of the catalogue of images. */
  readonly images: string | undefined;
  /** Path of the behaviour scripts. */
  readonly script: string | undefined;
  readonly podNetwork: PodNetworkMode;
  /** Directory that container logs and mounts must be in. Unset: that of the socket, and a kubelet's default directories. */
  readonly sandboxRoot: string | undefined;
  /** Time passes only by AdvanceClock. */
  readonly virtualClock: boolean;
  /** Latency of each call that changes something, in milliseconds. */
  readonly latencyMs: number;
  /** Seed of ids and generated numbers. Unset: random. */
  readonly seed: number | undefined;
  /** Log level: 0 warnings and errors, 1 also the life of the server, 2 everything. */
  readonly verbosity: number;
}

/** Result of parsing: flags, a text to print, or an error. */
export type ParsedFlags =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedFlags {
  let output = '';
  const command = new Command('fake-runtime')
    .description('A container runtime for tests: CRI v1 on a unix socket, containers only in memory.')
    .version(`fake-runtime v${packageVersion()}`, '--version', 'print the version and exit')
    .option('--listen <address>', 'address to serve on: unix:///run/fake.sock, or the path alone (required)')
    .option('--latency <ms>', 'how long each call that changes something takes, in milliseconds', wholeNumber, 0)
    .option('--state-file <path>', 'file that keeps sandboxes, containers and images between runs (default: none)')
    .option('--images <path>', 'YAML file with the images whose properties matter')
    .option('--script <path>', 'YAML file with behaviour scripts by image')
    .addOption(
      new Option('--pod-network <mode>', 'whether the ports of pods only exist in the process, or really listen')
        .choices(['in-process', 'loopback'])
        .default('in-process'),
    )
    .option(
      '--sandbox-root <path>',
      "directory that container logs and mounts must be in (default: that of the socket, and a kubelet's default directories)",
    )
    .option('--virtual-clock', 'time passes only by AdvanceClock of the control service', false)
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
    sandboxRoot?: string;
    virtualClock: boolean;
    seed?: number;
    v: number;
  }>();
  const { listen, latency, stateFile, images, script, podNetwork, sandboxRoot, virtualClock, seed, v } = options;
  // Not a required option of the command: its absence would be reported even where it is only misspelt.
  if (listen === undefined) return { kind: 'error', message: "option '--listen <address>' is missing" };
  return {
    kind: 'flags',
    flags: {
      listen,
      latencyMs: latency,
      stateFile,
      images,
      script,
      podNetwork,
      sandboxRoot,
      virtualClock,
      seed,
      verbosity: v,
    },
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}
