import { readFileSync } from 'node:fs';
import { parseCommandLine, type ParsedCommandLine } from '@rxlet/component-base/command';
import type { PodNetworkMode } from '@rxlet/fake-cri/network';
import { Command, InvalidArgumentError, Option } from 'commander';

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

/** Options as commander returns them. */
interface Options {
  readonly listen?: string;
  readonly latency: number;
  readonly stateFile?: string;
  readonly images?: string;
  readonly script?: string;
  readonly podNetwork: PodNetworkMode;
  readonly sandboxRoot?: string;
  readonly virtualClock: boolean;
  readonly seed?: number;
  readonly v: number;
}

function createCommandLine(): Command {
  return new Command('fake-runtime')
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
    );
}

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedCommandLine<Flags> {
  return parseCommandLine(createCommandLine(), args, (command) => readFlags(command.opts<Options>()));
}

function readFlags(options: Options): Flags {
  const { listen, latency, stateFile, images, script, podNetwork, sandboxRoot, virtualClock, seed, v } = options;
  // Not a required option of the command: its absence would be reported even where it is only misspelt.
  if (listen === undefined) throw new InvalidArgumentError("option '--listen <address>' is missing");
  return {
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
