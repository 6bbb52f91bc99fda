import { lstat, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import { ConfigError, UsageError } from './config-error.ts';
import { ROOT_VARIABLE } from './root-variable.ts';
import { DEFAULT_ROOT_DIRECTORY, socketPath } from './standard-places.ts';

/** Facts of this machine that {@link findRootDirectory} needs. */
export interface FindAgentPorts {
  /** Returns the table of unix sockets of the kernel, in the form of `/proc/net/unix`. */
  readUnixSockets(): Promise<string>;
  /** Reports whether an agent that this user may trust answers at a path. */
  isServed(path: string): Promise<boolean>;
}

/**
 * Returns the root directory of the agent that a command talks to: the given one, else that of the variable `RXLET_ROOT`, else that of the only running agent
 * that this user can reach, else the default.
 * @throws UsageError when several agents run: it lists them
 */
export async function findRootDirectory(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  ports: FindAgentPorts = machinePorts(),
): Promise<string> {
  const named = given ?? environment[ROOT_VARIABLE];
  if (named) return resolve(named);
  const found = await runningAgents(ports);
  if (found.length <= 1) return found[0] ?? DEFAULT_ROOT_DIRECTORY;
  throw new UsageError(
    `${String(found.length)} agents run on this machine: choose one with --root-dir or ${ROOT_VARIABLE}\n${found.map((root) => `  --root-dir ${root}`).join('\n')}`,
  );
}

/** Returns the root directories of the running agents that this user can reach, sorted. */
export async function runningAgents(ports: FindAgentPorts = machinePorts()): Promise<readonly string[]> {
  const listening = await ports.readUnixSockets().catch(() => '');
  // An agent in another network namespace is not in the table.
  const folders = new Set([DEFAULT_ROOT_DIRECTORY, ...socketFolders(listening)]);
  const served = await Promise.all(
    [...folders].map(async (folder) => ((await ports.isServed(socketPath(folder))) ? [folder] : [])),
  );
  return served.flat().sort();
}

/**
 * Rejects a root directory with which an agent runs already: a second one must end before it touches what the first one runs.
 * @throws ConfigError
 */
export async function rejectSecondAgent(rootDirectory: string): Promise<void> {
  const path = socketPath(rootDirectory);
  if (await isServedByOwner(path))
    throw new ConfigError(
      `cannot open the socket ${path}: it is served by another process, stop that process or choose another --root-dir`,
    );
}

/** Set in the flags of a socket that listens. */
const ACCEPTS_CONNECTIONS = 0x10000;

/** Returns the folders with listening sockets. A socket of an agent was bound in a private folder beside its place. */
function socketFolders(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, , , flags = '', , , , path] =
      /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) +(\S+) (\/.*)$/.exec(line)?.slice(1) ?? [];
    if (path === undefined || (Number.parseInt(flags, 16) & ACCEPTS_CONNECTIONS) === 0) return [];
    const folder = dirname(path);
    return /\/\.s-[^/]+$/.test(folder) ? [dirname(folder)] : path.endsWith('/rxlet.sock') ? [folder] : [];
  });
}

function machinePorts(): FindAgentPorts {
  return { readUnixSockets: () => readFile('/proc/net/unix', 'utf8'), isServed: isServedByOwner };
}

/** Reports whether a socket of this user or of root answers. Another user's could be a trap for what is typed. */
async function isServedByOwner(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  const own = process.getuid?.() ?? 0;
  if (stat?.isSocket() !== true || (stat.uid !== own && stat.uid !== 0)) return false;
  return new Promise((settle) => {
    const socket = connect(path);
    const end = (isServed: boolean): void => {
      socket.destroy();
      settle(isServed);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
