import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

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

/** Result of parsing: flags, a text to print, or an error. */
export type ParsedFlags =
  | { readonly kind: 'flags'; readonly flags: Flags }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedFlags {
  let output = '';
  const command = new Command('fake-kube')
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
    listen: string;
    name: string[];
    kubeconfig?: string;
    nodeKubeconfig: string[];
    bootstrapKubeconfig?: string;
    objects: string[];
    stateFile?: string;
    caFile?: string;
    authorization: 'allow' | 'node';
    schedule?: boolean;
    controllers?: boolean;
    latency: number;
    seed?: number;
    v: number;
  }>();
  const address = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(options.listen);
  if (address === null) return { kind: 'error', message: `option '--listen ${options.listen}' is not HOST:PORT` };
  const [, ipv6, host = ipv6 ?? '', port] = address;
  const nodes = options.nodeKubeconfig.map((text) => /^([^=]+)=(.+)$/.exec(text)?.slice(1));
  if (nodes.includes(undefined)) return { kind: 'error', message: "option '--node-kubeconfig' is not NODE=PATH" };
  if (options.seed !== undefined && options.stateFile !== undefined) {
    return {
      kind: 'error',
      message: "options '--seed' and '--state-file' exclude each other: each run would give the same UIDs again",
    };
  }
  return {
    kind: 'flags',
    flags: {
      host,
      port: Number(port),
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
    },
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
