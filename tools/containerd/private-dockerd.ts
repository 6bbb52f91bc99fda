import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { delimiter, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { busyboxFiles, BUSYBOX_PATH, BUSYBOX_REFERENCE } from './build-image.ts';
import { mountsBelow } from './clean-up.ts';
import { cniConflist } from './containerd-config.ts';
import { clearNetworkRules } from './iptables.ts';
import { CNI_BIN_DIRECTORY } from './layout.ts';
import { containerdUnavailable, otherContainerd, searchPath } from './prerequisites.ts';
import { attemptAll, findProcesses, killAndWait, processStartTime, run, until } from './processes.ts';
import { createTar } from './tar.ts';
import { isExecutable } from './is-executable.ts';

/** Name of the sandbox image of a private dockerd. */
export const DOCKER_PAUSE_REFERENCE = 'localhost/rxlet/pause:1';

/** A Docker daemon that shares nothing with another one. Disposing of it leaves nothing on the machine. */
export interface PrivateDockerd extends AsyncDisposable {
  readonly socketPath: string;
  readonly logPath: string;
  /** Folder of the pod network's configuration, and that of its plugins. */
  readonly cniConfigFolder: string;
  readonly cniPluginFolder: string;
  readonly bridge: string;
  /** Stops the daemon (default: SIGTERM) and starts it again on the same state. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const LOG_TAIL_BYTES = 4_000;
const PAUSE = `trap 'kill $!; exit 0' TERM INT; while :; do sleep 2147483 & wait $!; done`;

let started = 0;

/** Returns one line why no private dockerd can be started here (for a skipped test); `undefined` if it can. */
export function dockerdUnavailable(): string | undefined {
  const unavailable = containerdUnavailable();
  if (unavailable !== undefined) return unavailable;
  if (otherContainerd() !== undefined) return "Docker runs on the machine's own containerd alone";
  const isThere = searchPath()
    .split(delimiter)
    .some((folder) => isExecutable(join(folder, 'dockerd')));
  return isThere ? undefined : 'not found: dockerd (Debian: apt-get install docker.io)';
}

/**
 * Starts a dockerd with its own state, socket and pod network, and imports a sandbox image and busybox. Containers survive its restart.
 *
 * @param directory an empty or missing directory with a short path; it is removed in the end
 */
export async function startPrivateDockerd(directory: string): Promise<PrivateDockerd> {
  const unavailable = dockerdUnavailable();
  if (unavailable !== undefined) throw new Error(unavailable);
  mkdirSync(directory, { recursive: true });
  const socketPath = join(directory, 'd.sock');
  const logPath = join(directory, 'dockerd.log');
  const cniConfigFolder = join(directory, 'cni', 'net.d');
  const network = newNetwork();
  mkdirSync(cniConfigFolder, { recursive: true });
  const owner = { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
  writeFileSync(join(cniConfigFolder, '10-rxlet.conflist'), cniConflist({ directory, ...network, owner }));

  let daemon: Daemon | undefined;
  let stopped: Promise<void> | undefined;
  const launch = async (): Promise<void> => {
    daemon = spawnDaemon(directory, socketPath, logPath);
    const { ended } = daemon;
    await until(
      () => `an answer of dockerd; the end of its log:\n${readFileSync(logPath, 'utf8').slice(-LOG_TAIL_BYTES)}`,
      START_TIMEOUT_MS,
      async () => {
        const end = ended();
        if (end !== undefined) throw new Error(`dockerd ended: ${end}`);
        return (await post(socketPath, 'GET', '/_ping').catch(() => undefined)) !== undefined;
      },
    );
  };
  const stop = async (): Promise<void> => {
    const isOurs = (argv: readonly string[]): boolean => argv.some((argument) => argument.includes(`${directory}/`));
    const failures = await attemptAll([
      () => daemon?.end('SIGKILL'),
      // The daemon's containerd, shims, and the programs of containers.
      async () =>
        killAndWait(
          findProcesses((argv) => isOurs(argv) && argv[0]?.includes('containerd') === true),
          STOP_TIMEOUT_MS,
        ),
      () => endContainers(join(directory, 'exec')),
      removeEmptyCgroups,
      async () => {
        if (existsSync(`/sys/class/net/${network.bridge}`)) await run('ip', ['link', 'delete', network.bridge]);
      },
      () => clearNetworkRules(network.bridge),
      () =>
        until('the unmounting', STOP_TIMEOUT_MS, async () => {
          for (const path of mountsBelow(directory)) await run('umount', ['--lazy', path]);
          return mountsBelow(directory).length === 0;
        }),
      () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
    ]);
    if (failures.length > 0)
      throw new Error(`the dockerd in ${directory} left resources behind: ${failures.join('; ')}`);
  };
  try {
    await launch();
    const layer = createTar(busyboxFiles());
    await importImage(socketPath, BUSYBOX_REFERENCE, layer, ['CMD ["sh"]']);
    await importImage(socketPath, DOCKER_PAUSE_REFERENCE, layer, [
      `ENTRYPOINT ${JSON.stringify([BUSYBOX_PATH, 'sh', '-c', PAUSE])}`,
    ]);
  } catch (error) {
    const left = await attemptAll([stop]);
    throw new Error([errorMessage(error), ...left].join('\n'), { cause: error });
  }
  return {
    socketPath,
    logPath,
    cniConfigFolder,
    cniPluginFolder: CNI_BIN_DIRECTORY,
    bridge: network.bridge,
    async restart(signal = 'SIGTERM') {
      await daemon?.end(signal);
      await forgetContainerd(join(directory, 'exec', 'containerd', 'containerd.pid'));
      await launch();
    },
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

interface Daemon {
  /** Describes how it ended, once it has. */
  ended(): string | undefined;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

function spawnDaemon(directory: string, socketPath: string, logPath: string): Daemon {
  const output = openSync(logPath, 'a');
  const settings = {
    'data-root': join(directory, 'root'),
    'exec-root': join(directory, 'exec'),
    pidfile: join(directory, 'd.pid'),
    host: `unix://${socketPath}`,
    iptables: 'false',
    ip6tables: 'false',
    'ip-forward': 'false',
    'ip-masq': 'false',
    bridge: 'none',
    'live-restore': 'true',
    'config-file': join(directory, 'daemon.json'),
  };
  writeFileSync(settings['config-file'], '{}');
  const options = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  rmSync(settings.pidfile, { force: true });
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'dockerd', ...options], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, PATH: searchPath() },
  });
  closeSync(output);
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = String(signal ?? code)));
  return {
    ended: () => ended,
    async end(signal) {
      if (ended !== undefined) return;
      child.kill(signal);
      await until('the exit of dockerd', STOP_TIMEOUT_MS, () => ended !== undefined);
    },
  };
}

/**
 * Waits for the end of the daemon's containerd, which dies with a killed daemon, and removes its process id. Where no init process reaps, dockerd would take the
 * zombie for a running one.
 */
async function forgetContainerd(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await until('the exit of containerd', STOP_TIMEOUT_MS, () => processStartTime(pid) === undefined);
  rmSync(pidFile);
}

/** Kills the containers by runc, whose state is below the daemon's folder. */
async function endContainers(execRoot: string): Promise<void> {
  const runcRoot = join(execRoot, 'runtime-runc', 'moby');
  if (!existsSync(runcRoot)) return;
  const ids = (await run('runc', ['--root', runcRoot, 'list', '--quiet'])).split('\n').filter(Boolean);
  await Promise.all(ids.map((id) => run('runc', ['--root', runcRoot, 'delete', '--force', id])));
}

/** Removes the parent cgroup of containers, which daemons share, in every hierarchy where it is empty. */
function removeEmptyCgroups(): void {
  for (const path of globSync('/sys/fs/cgroup/{,*/}docker')) {
    try {
      rmdirSync(path);
    } catch {
      // Another daemon has containers in it.
    }
  }
}

async function importImage(socketPath: string, reference: string, layer: Buffer, changes: string[]): Promise<void> {
  const [, repo = '', tag = ''] = /^(.*):([^:]*)$/.exec(reference) ?? [];
  const query = new URLSearchParams([
    ['fromSrc', '-'],
    ['repo', repo],
    ['tag', tag],
    ...changes.map((change): [string, string] => ['changes', change]),
  ]);
  const answer = await post(socketPath, 'POST', `/images/create?${query.toString()}`, layer);
  if (answer.includes('"error"')) throw new Error(`cannot import ${reference}: ${answer}`);
}

function post(socketPath: string, method: string, path: string, body?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'docker', 'content-type': 'application/x-tar' };
    const outgoing = request({ socketPath, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () =>
        (response.statusCode ?? 500) < 300 ? resolve(text) : reject(new Error(`${path}: ${text}`)),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function newNetwork(): { readonly bridge: string; readonly subnet: string } {
  const { pid } = process;
  const index = started++;
  const taken = new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []));
  // 10.128.0.0/10, beside the networks of private containerds.
  const prefix = (n: number): string => `10.${String(128 + ((n >> 8) & 63))}.${String(n & 255)}`;
  let number = pid + index;
  while (taken.has(`${prefix(number)}.1`)) number++;
  return { bridge: `dock${pid.toString(36)}-${index.toString(36)}`, subnet: `${prefix(number)}.0/24` };
}
