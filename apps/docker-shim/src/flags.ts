import { readFileSync } from 'node:fs';
import { parseCommandLine, type ParsedCommandLine } from '@rxlet/component-base/command';
import { parseGoDuration } from '@rxlet/component-base/go';
import { Command, InvalidArgumentError, Option } from 'commander';

/** Command line of `docker-shim`. */
export interface Flags {
  /** Address of the CRI's socket. */
  readonly listen: string;
  /** Path of Docker's socket. */
  readonly dockerSocket: string;
  readonly sandboxImage: string;
  readonly rootDirectory: string;
  readonly cniConfigFolder: string;
  readonly cniPluginFolders: readonly string[];
  readonly cniCacheFolder: string;
  /** As dockershim's; it has no effect on a CNI network. */
  readonly hairpinMode: string;
  readonly pullProgressDeadlineMs: number;
  readonly restrictOomScoreAdj: boolean;
  /** Log level: 0 warnings and errors, 1 also the life of the server, 2 everything. */
  readonly verbosity: number;
}

/** Options as commander returns them. */
interface Options {
  readonly containerRuntimeEndpoint: string;
  readonly dockerEndpoint: string;
  readonly podInfraContainerImage: string;
  readonly criDockerdRootDirectory: string;
  readonly cniConfDir: string;
  readonly cniBinDir: readonly string[];
  readonly cniCacheDir?: string;
  readonly hairpinMode: string;
  readonly imagePullProgressDeadline: number;
  readonly restrictOomScoreAdj: boolean;
  readonly v: number;
}

/** Creates the command line. The names of flags are dockershim's and cri-dockerd's. */
export function createCommandLine(): Command {
  return new Command('docker-shim')
    .description('A container runtime for Kubernetes on Docker Engine: CRI v1 and v1alpha2 on a unix socket.')
    .version(`docker-shim v${packageVersion()}`, '--version', 'print the version and exit')
    .option('--container-runtime-endpoint <address>', 'address to serve on', 'unix:///run/cri-dockerd.sock')
    .option('--docker-endpoint <address>', "address of Docker's socket", unixPath, '/var/run/docker.sock')
    .option(
      '--pod-infra-container-image <image>',
      "image that holds a pod's namespaces",
      'registry.k8s.io/pause:3.10.1',
    )
    .option('--cri-dockerd-root-directory <path>', 'directory of checkpoints', absolutePath, '/var/lib/cri-dockerd')
    .addOption(new Option('--network-plugin <name>', 'network of pods').choices(['cni']).default('cni'))
    .option('--cni-conf-dir <path>', 'directory of CNI configurations', absolutePath, '/etc/cni/net.d')
    .option('--cni-bin-dir <paths>', 'directories of CNI plugins, separated by commas', pathList, ['/opt/cni/bin'])
    .option('--cni-cache-dir <path>', "directory of CNI results (default: cni in the shim's own)", absolutePath)
    .addOption(
      new Option('--hairpin-mode <mode>', 'accepted for compatibility: the CNI configuration decides')
        .choices(['none', 'hairpin-veth', 'promiscuous-bridge'])
        .default('none'),
    )
    .option('--image-pull-progress-deadline <duration>', 'longest time without progress of a pull', duration, 60_000)
    .option(
      '--restrict-oom-score-adj',
      'set no OOM score adjustment below the own one; for Docker in a container',
      false,
    )
    .option(
      '--v <level>',
      'log level: 0 warnings and errors, 1 also the life of the server, 2 everything',
      wholeNumber,
      0,
    );
}

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedCommandLine<Flags> {
  return parseCommandLine(createCommandLine(), args, (command) => readFlags(command.opts<Options>()));
}

function readFlags(options: Options): Flags {
  return {
    listen: options.containerRuntimeEndpoint,
    dockerSocket: options.dockerEndpoint,
    sandboxImage: options.podInfraContainerImage,
    rootDirectory: options.criDockerdRootDirectory,
    cniConfigFolder: options.cniConfDir,
    cniPluginFolders: options.cniBinDir,
    cniCacheFolder: options.cniCacheDir ?? `${options.criDockerdRootDirectory}/cni`,
    hairpinMode: options.hairpinMode,
    pullProgressDeadlineMs: options.imagePullProgressDeadline,
    restrictOomScoreAdj: options.restrictOomScoreAdj,
    verbosity: options.v,
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function unixPath(text: string): string {
  return absolutePath(text.replace(/^unix:\/\//, ''));
}

function absolutePath(text: string): string {
  if (!text.startsWith('/') || text.includes('\0')) throw new InvalidArgumentError('It is not an absolute path.');
  return text;
}

function pathList(text: string): readonly string[] {
  return text.split(',').map(absolutePath);
}

function duration(text: string): number {
  try {
    const milliseconds = Number(parseGoDuration(text));
    if (milliseconds > 0) return milliseconds;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It is not a positive duration such as 1m0s.');
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}
