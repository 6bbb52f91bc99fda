import { readFileSync } from 'node:fs';
import { parseCommandLine, type ParsedCommandLine, parseHostPort } from '@rxlet/component-base/command';
import { Command, InvalidArgumentError } from 'commander';
import { MAX_NODES } from './plan/plan-nodes.ts';
import { parseShard, type Shard } from './plan/shard.ts';

/** Largest number of threads. Each has watches of its own. */
const MAX_WORKERS = 64;

/** Command line of `rxlet-fleet`. */
export interface Flags {
  readonly cluster: ClusterFlags;
  readonly nodes: number;
  readonly prefix: string;
  readonly shard: Shard;
  /** Number of threads that share the nodes. */
  readonly workers: number;
  /** Manifest of a Node whose labels, taints and capacity all nodes have. */
  readonly template: string | undefined;
  readonly podsPerNode: number | undefined;
  readonly zones: readonly string[];
  /** Behaviour of containers. */
  readonly script: string | undefined;
  readonly nodeIp: string | undefined;
  /** Port of the API of the first node; 0: each takes a free one. */
  readonly nodePort: number;
  /** Certificate of the API of the nodes. Default: one of an authority of its own. */
  readonly nodeCertificate: NodeCertificateFiles | undefined;
  readonly nodeCredentials: boolean;
  readonly eventsPerSecond: number;
  /** Whether the Node objects stay at the end. */
  readonly keepsNodes: boolean;
  /** Log level: 0 warnings and errors, 1 also the life of the nodes, 2 everything. */
  readonly verbosity: number;
}

/** Paths of a certificate and its key. */
export interface NodeCertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Cluster that the nodes join: a real one, or an API server of this process. */
export type ClusterFlags =
  | { readonly kind: 'kubeconfig'; readonly path: string }
  | {
      readonly kind: 'fake';
      readonly host: string;
      readonly port: number;
      /** File to write an administrator's kubeconfig to. */
      readonly adminKubeconfig: string;
      readonly controllers: boolean;
    };

/** Parses the command line; `args` are those after the program's name. */
export function parseFlags(args: readonly string[]): ParsedCommandLine<Flags> {
  return parseCommandLine(createCommandLine(), args, (command) => readFlags(command.opts<Options>()));
}

/** Returns the command line, also for documentation. */
export function createCommandLine(): Command {
  return new Command('rxlet-fleet')
    .description('Many nodes in one process, whose agents are those of real nodes and whose containers are simulated.')
    .version(`rxlet-fleet v${packageVersion()}`, '--version', 'print the version and exit')
    .option('--kubeconfig <path>', 'join this cluster, as an administrator')
    .option('--fake-kube', 'start an API server with a scheduler and a few small controllers, and join it')
    .option(
      '--listen <address>',
      'with --fake-kube: address of the API server, as HOST:PORT; port 0 takes a free one',
      '127.0.0.1:6443',
    )
    .option(
      '--admin-kubeconfig <path>',
      "with --fake-kube: file to write an administrator's kubeconfig to",
      'fleet.kubeconfig',
    )
    .option('--no-controllers', 'with --fake-kube: no controllers, for those who bring their own')
    .option('--nodes <number>', 'number of nodes of the whole fleet', nodeCount, 10)
    .option('--prefix <text>', 'begin of the names of the nodes', 'fake-')
    .option('--shard <i/n>', 'run only the i-th of n parts of the fleet; another process runs each other part', shard, {
      index: 1,
      count: 1,
    })
    .option('--workers <number>', 'number of threads that share the nodes, for more than one core', workerCount, 1)
    .option('--template <path>', 'manifest of a Node with the labels, taints and capacity of all nodes')
    .option(
      '--pods-per-node <number>',
      'number of pods that a node takes (default: that of the template, or 110)',
      wholeNumber,
    )
    .option('--zones <names>', 'zones of the nodes in turn, separated by commas', list, [])
    .option('--script <path>', 'file with the behaviour of containers')
    .option(
      '--node-ip <address>',
      'address at which the API server reaches the nodes (default: 127.0.0.1, or with --kubeconfig that of this machine)',
    )
    .option('--node-port <port>', 'port of the API of the first node; the others follow. 0: free ports', port, 0)
    .option(
      '--tls-cert-file <path>',
      'certificate of the API of the nodes, for API servers that verify it (default: one of an authority of its own)',
    )
    .option('--tls-private-key-file <path>', 'key of --tls-cert-file')
    .option('--node-credentials', 'each node acts as its own user system:node:NAME, with watches of its own', false)
    .option('--events-per-second <number>', 'events that all nodes together report at most; 0: none', wholeNumber, 20)
    .option('--keep', 'leave the Node objects at the end', false)
    .option(
      '--v <level>',
      'log level: 0 warnings and errors, 1 also the life of the nodes, 2 everything',
      wholeNumber,
      0,
    );
}

function readFlags(options: Options): Flags {
  const cluster = clusterOf(options);
  if (!/^[a-z0-9]([a-z0-9.-]{0,40})$/.test(options.prefix))
    throw new InvalidArgumentError(`option '--prefix ${options.prefix}' does not begin the name of a node`);
  if (options.nodePort > 0 && options.nodePort + options.nodes > 65_536)
    throw new InvalidArgumentError(`option '--node-port ${String(options.nodePort)}' leaves no ports for all nodes`);
  const { tlsCertFile, tlsPrivateKeyFile } = options;
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    throw new InvalidArgumentError('--tls-cert-file and --tls-private-key-file are given together');
  return {
    cluster,
    nodes: options.nodes,
    prefix: options.prefix,
    shard: options.shard,
    workers: options.workers,
    template: options.template,
    podsPerNode: options.podsPerNode,
    zones: options.zones,
    script: options.script,
    nodeIp: options.nodeIp,
    nodePort: options.nodePort,
    nodeCertificate: tlsCertFile === undefined ? undefined : { certificate: tlsCertFile, key: tlsPrivateKeyFile ?? '' },
    nodeCredentials: options.nodeCredentials,
    eventsPerSecond: options.eventsPerSecond,
    keepsNodes: options.keep,
    verbosity: options.v,
  };
}

/** Options as commander returns them. */
interface Options {
  readonly kubeconfig?: string;
  readonly fakeKube?: boolean;
  readonly listen: string;
  readonly adminKubeconfig: string;
  readonly controllers: boolean;
  readonly nodes: number;
  readonly prefix: string;
  readonly shard: Shard;
  readonly workers: number;
  readonly template?: string;
  readonly podsPerNode?: number;
  readonly zones: readonly string[];
  readonly script?: string;
  readonly nodeIp?: string;
  readonly nodePort: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly nodeCredentials: boolean;
  readonly eventsPerSecond: number;
  readonly keep: boolean;
  readonly v: number;
}

function clusterOf(options: Options): ClusterFlags {
  const { kubeconfig, fakeKube = false, listen, adminKubeconfig, controllers } = options;
  if (fakeKube === (kubeconfig !== undefined))
    throw new InvalidArgumentError('either --kubeconfig or --fake-kube is required');
  if (kubeconfig !== undefined) return { kind: 'kubeconfig', path: kubeconfig };
  const address = parseHostPort(listen);
  if (address === undefined) throw new InvalidArgumentError(`option '--listen ${listen}' is not HOST:PORT`);
  if (options.shard.count > 1)
    throw new InvalidArgumentError(
      'several processes cannot share a --fake-kube: give the others its --admin-kubeconfig as --kubeconfig',
    );
  return { kind: 'fake', ...address, adminKubeconfig, controllers };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function list(text: string): readonly string[] {
  return text.split(',').filter((item) => item !== '');
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

function nodeCount(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > MAX_NODES) throw new InvalidArgumentError(`It is not from 1 to ${String(MAX_NODES)}.`);
  return count;
}

function workerCount(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > MAX_WORKERS) throw new InvalidArgumentError(`It is not from 1 to ${String(MAX_WORKERS)}.`);
  return count;
}

function port(text: string): number {
  const number = wholeNumber(text);
  if (number > 65_535) throw new InvalidArgumentError('It is no port.');
  return number;
}

function shard(text: string): Shard {
  const parsed = parseShard(text);
  if (parsed === undefined) throw new InvalidArgumentError('It is not I/N, such as 2/5.');
  return parsed;
}
