import { readFileSync } from 'node:fs';
import { parseCommandLine, type ParsedCommandLine, parseHostPort } from '@rxlet/component-base/command';
import { Command, InvalidArgumentError, Option } from 'commander';

/** Command line of `fake-kube`. */
export interface Flags {
  readonly host: string;
  /** `0`: a free port. */
  readonly port: number;
  /** File to write an administrator's kubeconfig to. */
  readonly kubeconfig: string | undefined;
  /** Files to write kubeconfigs of nodes to, by the names of the nodes. */
  readonly nodeKubeconfigs: Readonly<Record<string, string>>;
  /** File to write a kubeconfig with a bootstrap token to. */
  readonly bootstrapKubeconfig: string | undefined;
  /** Manifests of objects that exist from the start. */
  readonly objects: readonly string[];
  /** File that keeps objects and keys between runs. */
  readonly stateFile: string | undefined;
  /** File to write the certificate of the authority to. */
  readonly caFile: string | undefined;
  /** Further names and addresses of the server, for its certificate. */
  readonly names: readonly string[];
  readonly authorization: 'allow' | 'node';
  /** Whether pods are bound to nodes. */
  readonly schedules: boolean;
  /** Whether there are workloads, and small controllers of them. */
  readonly controllers: boolean;
  readonly latencyMs: number;
  /** Seed of UIDs and generated names. Unset: random. */
  readonly seed: number | undefined;
  /** Log level: 0 warnings and errors, 1 also the life of the server, 2 everything. */
  readonly verbosity: number;
}

/** Options as commander returns them. */
interface Options {
  readonly listen: string;
  readonly name: readonly string[];
  readonly kubeconfig?: string;
  readonly nodeKubeconfig: readonly string[];
  readonly bootstrapKubeconfig?: string;
  readonly objects: readonly string[];
  readonly stateFile?: string;
  readonly caFile?: string;
  readonly authorization: 'allow' | 'node';
  readonly schedule?: boolean;
  readonly controllers?: boolean;
  readonly latency: number;
  readonly seed?: number;
  readonly v: number;
}

function createCommandLine(): Command {
  return new Command('fake-kube')
    .description('A Kubernetes API server for tests: HTTPS, objects in memory.')
    .version(`fake-kube v${packageVersion()}`, '--version', 'print the version and exit')
    .option('--listen <address>', 'address to serve on, as HOST:PORT; port 0 takes a free one', '127.0.0.1:6443')
    .option('--name <name>', 'further host name or address in the certificate of the server; repeatable', collect, [])
    .option('--kubeconfig <path>', "file to write an administrator's kubeconfig to")
    .option('--node-kubeconfig <node=path>', 'file to write the kubeconfig of a node to; repeatable', collect, [])
    .option('--bootstrap-kubeconfig <path>', 'file to write a kubeconfig with a bootstrap token to')
    .option('--objects <path>', 'YAML or JSON file with objects that exist from the start; repeatable', collect, [])
    .option('--state-file <path>', 'file that keeps objects, keys and the certificate authority between runs')
    .option('--ca-file <path>', 'file to write the certificate of the authority to, for clients and node agents')
    .addOption(
      new Option('--authorization <mode>', 'node: the rules of a cluster for node agents; allow: no rules')
        .choices(['node', 'allow'])
        .default('node'),
    )
    .option('--schedule', 'binds pods to nodes that are ready and have the resources')
    .option(
      '--controllers',
      'offers Deployments, ReplicaSets, DaemonSets, Jobs and EndpointSlices, with small controllers',
    )
    .option('--latency <ms>', 'how long each request takes, in milliseconds', wholeNumber, 0)
    .option('--seed <number>', 'makes UIDs and generated names repeat from run to run (default: random)', wholeNumber)
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
  const address = parseHostPort(options.listen);
  if (address === undefined) throw new InvalidArgumentError(`option '--listen ${options.listen}' is not HOST:PORT`);
  const nodes = options.nodeKubeconfig.map((text) => /^([^=]+)=(.+)$/.exec(text)?.slice(1));
  if (nodes.includes(undefined)) throw new InvalidArgumentError("option '--node-kubeconfig' is not NODE=PATH");
  if (options.seed !== undefined && options.stateFile !== undefined) {
    throw new InvalidArgumentError(
      "options '--seed' and '--state-file' exclude each other: each run would give the same UIDs again",
    );
  }
  return {
    ...address,
    kubeconfig: options.kubeconfig,
    nodeKubeconfigs: Object.fromEntries(nodes as [string, string][]),
    bootstrapKubeconfig: options.bootstrapKubeconfig,
    objects: options.objects,
    stateFile: options.stateFile,
    caFile: options.caFile,
    names: options.name,
    authorization: options.authorization,
    schedules: options.schedule === true,
    controllers: options.controllers === true,
    latencyMs: options.latency,
    seed: options.seed,
    verbosity: options.v,
  };
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}
