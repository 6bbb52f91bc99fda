import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { ImageServiceDescriptor, isUnimplemented, RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { pauseImage } from './build-image.ts';
import { claimDirectory, cleanUp, cleanUpAbandoned, cutPower } from './clean-up.ts';
import { cniConflist, containerdConfig } from './containerd-config.ts';
import { criCall } from './cri-call.ts';
import { PrivateContainerdError } from './errors.ts';
import { type Layout, pathsOf } from './layout.ts';
import { containerdMajorVersion, containerdUnavailable, searchPath } from './prerequisites.ts';
import { attemptAll, processStartTime, run, until } from './processes.ts';

export { PrivateContainerdError } from './errors.ts';
export { containerdUnavailable } from './prerequisites.ts';

/** Default name of the sandbox image of a private containerd. */
export const PAUSE_REFERENCE = 'localhost/rxlet/pause:1';

/** Options of {@link startPrivateContainerd}. */
export interface PrivateContainerdOptions {
  /**
   * Directory of all its state. If it exists it must be empty, or be left from a killed run of this tool, which is cleaned up first. It is removed at the end.
   * At most 80 characters, for the sockets in it.
   */
  readonly directory: string;
  /** Timeout of the first CRI answer, in milliseconds. Default 30 000. */
  readonly startTimeoutMs?: number;
  /** Program and arguments that run containerd elsewhere, such as `enter` of a private machine. Default: none. */
  readonly enter?: readonly string[] | undefined;
}

/** A private containerd. Disposing of it stops it and its containers, and leaves nothing on the machine. */
export interface PrivateContainerd extends AsyncDisposable {
  /** The CRI endpoint, `unix:///…`. */
  readonly endpoint: string;
  /** The path of that socket, as `ctr --address` takes it. */
  readonly address: string;
  /** containerd's debug log. */
  readonly logPath: string;
  /** The pod network's bridge and subnet. */
  readonly bridge: string;
  readonly subnet: string;
  /** Directory of the specifications of CDI devices, for containerd 2; it does not exist yet. */
  readonly cdiDirectory: string;
  /** Imports an OCI image layout (a tar archive, or the path of one); resolves with its image names once the CRI lists them. */
  importImage(image: string | Uint8Array): Promise<string[]>;
  /** Runs `ctr --address … --namespace k8s.io <args>` and returns its output. */
  ctr(args: readonly string[], timeoutMs?: number): Promise<string>;
  /** Stops containerd (default: SIGTERM) and starts it again on the same state. Containers keep running meanwhile. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends containerd and all containers as a loss of power does, and starts it again on what was on the disk: the containers are there, without their tasks. */
  reboot(): Promise<void>;
  /** Same as disposal. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const IMPORT_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 5_000;
const LOG_TAIL_LINES = 25;
/** File system type that `statfs` reports for an overlay, on which another cannot be stacked (such as a container's root file system). */
const OVERLAYFS_MAGIC = 0x794c7630;

let started = 0;

/**
 * Starts a containerd that shares nothing with another one: own root, state, socket, configuration, pod network and sandbox image. Resolves once its CRI is
 * ready and the sandbox image is imported. Rejects with an error that has the cause, usually a {@link PrivateContainerdError}, and then leaves nothing.
 */
export async function startPrivateContainerd(options: PrivateContainerdOptions): Promise<PrivateContainerd> {
  const unavailable = containerdUnavailable();
  if (unavailable !== undefined) throw new PrivateContainerdError(unavailable);
  await cleanUpAbandoned();
  const directory = await claimDirectory(options.directory);
  const layout = newLayout(directory);
  const paths = pathsOf(layout);
  const majorVersion = containerdMajorVersion();
  writeConfiguration(layout, majorVersion);

  const startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  let server: Server | undefined;
  let stopped: Promise<void> | undefined;

  const ctr = (args: readonly string[], timeoutMs?: number): Promise<string> =>
    run('ctr', ['--address', paths.socket, '--namespace', 'k8s.io', ...args], { timeoutMs });

  const importImage = async (image: string | Uint8Array): Promise<string[]> => {
    const archive = typeof image === 'string' ? image : join(directory, 'import.tar');
    if (typeof image !== 'string') writeFileSync(archive, image);
    // The import of containerd 2 by its own service prints no names.
    const flags = ['--snapshotter', snapshotter(directory), ...(majorVersion >= 2 ? ['--local'] : [])];
    const output = await ctr(['images', 'import', ...flags, archive], IMPORT_TIMEOUT_MS);
    if (archive !== image) rmSync(archive);
    const names = [...output.matchAll(/^unpacking (\S+) /gm)].flatMap(([, name]) => name ?? []);
    // The CRI lists a new image a moment later, after an event.
    for (const name of names) {
      await until(`${name} in the CRI`, IMPORT_TIMEOUT_MS, () => criHasImage(paths.socket, name));
    }
    return names;
  };

  const launch = async (): Promise<void> => {
    server = spawnServer(paths.config, paths.log, options.enter);
    try {
      await serverReady(server, paths.socket, startTimeoutMs);
    } catch (error) {
      const why = `containerd did not come up: ${errorMessage(error)}\nThe end of its log:\n${logTail(paths.log)}`;
      throw new PrivateContainerdError(why, { cause: error });
    }
  };

  const stop = async (): Promise<void> => {
    // SIGKILL: no state is kept, and an orderly stop would kill CNI plugins at work.
    await server?.end('SIGKILL');
    await cleanUp(layout);
  };

  try {
    await launch();
    await importImage(pauseImage(PAUSE_REFERENCE));
  } catch (error) {
    const left = await attemptAll([stop]);
    if (left.length === 0) throw error;
    throw new PrivateContainerdError([errorMessage(error), ...left].join('\n'), { cause: error });
  }

  return {
    endpoint: `unix://${paths.socket}`,
    address: paths.socket,
    logPath: paths.log,
    bridge: layout.bridge,
    subnet: layout.subnet,
    cdiDirectory: paths.cdi,
    importImage,
    ctr,
    async restart(signal = 'SIGTERM') {
      await server?.end(signal);
      await launch();
    },
    async reboot() {
      await server?.end('SIGKILL');
      await cutPower(layout);
      await launch();
    },
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/** Returns names that no other process uses, derived from the process id. */
function newLayout(directory: string): Layout {
  const { pid } = process;
  const index = started++;
  const taken = new Set(
    Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []),
  );
  // 10.64.0.0/10 has 16 384 networks of 254 addresses; the bridge takes the first of its own.
  const network = (n: number): string => `10.${String(64 + ((n >> 8) & 63))}.${String(n & 255)}`;
  let number = pid + index;
  while (taken.has(`${network(number)}.1`)) number++;
  return {
    directory,
    bridge: `rxlet${pid.toString(36)}-${index.toString(36)}`,
    subnet: `${network(number)}.0/24`,
    owner: { pid, startTime: processStartTime(pid) ?? '' },
  };
}

function writeConfiguration(layout: Layout, majorVersion: number): void {
  const paths = pathsOf(layout);
  writeFileSync(paths.marker, JSON.stringify(layout));
  const options = {
    sandboxImage: PAUSE_REFERENCE,
    snapshotter: snapshotter(layout.directory),
    majorVersion,
  };
  writeFileSync(paths.config, containerdConfig(layout, options));
  mkdirSync(paths.cniConfig, { recursive: true });
  writeFileSync(join(paths.cniConfig, '10-rxlet.conflist'), cniConflist(layout));
}

function snapshotter(directory: string): 'overlayfs' | 'native' {
  return statfsSync(directory).type === OVERLAYFS_MAGIC ? 'native' : 'overlayfs';
}

/** The containerd process. */
interface Server {
  /** Describes how it exited, once it has. */
  ended(): string | undefined;
  /** Stops it; SIGKILL after a timeout. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

function spawnServer(config: string, log: string, enter: readonly string[] = []): Server {
  const output = openSync(log, 'a');
  // It dies with this process even if that is killed, but is not in its process group: this process handles Ctrl-C.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...enter, 'containerd', '--config', config], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, PATH: searchPath() },
  });
  closeSync(output);
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `it exited with ${String(signal ?? code)}`));
  return {
    ended: () => ended,
    async end(signal) {
      if (ended !== undefined) return;
      child.kill(signal);
      try {
        await until('exit of containerd', STOP_TIMEOUT_MS, () => ended !== undefined);
      } catch {
        child.kill('SIGKILL');
        await until('exit of containerd', STOP_TIMEOUT_MS, () => ended !== undefined);
      }
    },
  };
}

/** Resolves once the CRI reports runtime and network as ready. */
function serverReady(server: Server, socket: string, timeoutMs: number): Promise<void> {
  let last = 'its socket does not exist';
  return until(
    () => `an answer of its CRI (${last})`,
    timeoutMs,
    async () => {
      const ended = server.ended();
      if (ended !== undefined) throw new Error(ended);
      try {
        const { status } = await criCall(socket, RuntimeServiceDescriptor.method.status, {}, CALL_TIMEOUT_MS);
        const unready = status?.conditions.find((condition) => !condition.status);
        if (unready === undefined) return true;
        last = `${unready.type} is false: ${unready.message}`;
      } catch (error) {
        // containerd listens after its plugins are loaded: a plugin that is missing then has failed permanently.
        if (isUnimplemented(error)) throw new Error('its CRI plugin was not loaded', { cause: error });
        last = errorMessage(error);
      }
      return false;
    },
  );
}

async function criHasImage(socket: string, name: string): Promise<boolean> {
  const request = { image: { image: name } };
  const answer = await criCall(socket, ImageServiceDescriptor.method.imageStatus, request, CALL_TIMEOUT_MS);
  return answer.image !== undefined;
}

/** Returns the last lines of the log above the level of single steps. */
function logTail(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines
    .filter((line) => !/level=(debug|trace)/.test(line))
    .slice(-LOG_TAIL_LINES)
    .join('\n');
}
