import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { searchPath } from './prerequisites.ts';
import { until } from './processes.ts';
import { pushImage } from './push-image.ts';
import { type GateRequest, type Hold, openRegistryGate, type RegistryGate } from './registry-gate.ts';
import { isExecutable } from './is-executable.ts';

export type { GateRequest, Hold } from './registry-gate.ts';

/** A user of a private registry. */
export interface RegistryAccount {
  readonly username: string;
  readonly password: string;
}

/** Account of a registry that requires a password. */
export const REGISTRY_ACCOUNT: RegistryAccount = { username: 'puller', password: 'an-open-secret' };
/** Its line in a htpasswd file. bcrypt at the lowest cost: it guards nothing, and each request is checked against it. */
const HTPASSWD = 'puller:$2a$04$rxletTestsRegistryAccezu/1K7hGzwEXuMFLbUxek4LT.5/EFuW\n';

/** Options of {@link startPrivateRegistry}. */
export interface PrivateRegistryOptions {
  /** Directory of all its state. It must not exist yet, and is removed at the end. */
  readonly directory: string;
  /** Whether only {@link REGISTRY_ACCOUNT} may push and pull. Default: false. */
  readonly password?: boolean;
}

/** An image in a registry. */
export interface PushedImage {
  /** As a pod names it: `127.0.0.1:PORT/team/app:1`. containerd speaks plain HTTP to this host. */
  readonly reference: string;
  /** The same image by its content: `127.0.0.1:PORT/team/app@sha256:…`. */
  readonly digestReference: string;
}

/** A private image registry on the loopback interface. Disposing of it leaves nothing on the machine. */
export interface PrivateRegistry extends AsyncDisposable {
  /** Its name in image references and docker config files, `127.0.0.1:PORT`. */
  readonly host: string;
  /** Pushes an archive of `buildImage` as `repository:tag`; a tag that is there moves. */
  push(name: string, archive: Uint8Array): Promise<PushedImage>;
  /** Requests so far, without those of pushes. */
  requests(): readonly GateRequest[];
  /** Holds requests whose path matches until they are released. */
  hold(path: RegExp): Hold;
  /** Sends only the first `bytes` of responses to requests whose path matches until they are released. */
  stall(path: RegExp, bytes: number): Hold;
}

const PROGRAM = 'docker-registry';
const START_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 10_000;
/** Number of kept characters of the registry's output: enough for its start. */
const OUTPUT_KEPT = 10_000;

/** Returns one line why no private registry can be started here (for a skipped test); `undefined` if it can. */
export function registryUnavailable(): string | undefined {
  const found = searchPath()
    .split(delimiter)
    .some((folder) => isExecutable(join(folder, PROGRAM)));
  return found ? undefined : `not found: ${PROGRAM} (Debian: apt-get install docker-registry)`;
}

/** Starts Debian's docker-registry on a free port. Rejects with the end of its output if it does not come up, and then leaves nothing. */
export async function startPrivateRegistry(options: PrivateRegistryOptions): Promise<PrivateRegistry> {
  const unavailable = registryUnavailable();
  if (unavailable !== undefined) throw new Error(unavailable);
  const { directory, password = false } = options;
  mkdirSync(directory);
  const server = spawnServer(writeConfiguration(directory, password));
  let gate: RegistryGate | undefined;
  const stop = async (): Promise<void> => {
    await gate?.[Symbol.asyncDispose]();
    await server.end();
    rmSync(directory, { recursive: true, force: true });
  };

  let port: number;
  try {
    port = await server.port();
    gate = await openRegistryGate(port);
  } catch (error) {
    await stop();
    throw error;
  }
  const { host, requests, hold, stall } = gate;
  const authorization = password ? basicAuthorization(REGISTRY_ACCOUNT) : undefined;
  let stopped: Promise<void> | undefined;

  return {
    host,
    async push(name, archive) {
      const [repository = '', tag = ''] = name.split(':');
      const target = { registry: `http://127.0.0.1:${String(port)}`, repository, tag, authorization };
      const digest = await pushImage(archive, target);
      return { reference: `${host}/${name}`, digestReference: `${host}/${repository}@${digest}` };
    },
    requests,
    hold,
    stall,
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/** Writes the registry's files and returns the path of its configuration. JSON is YAML. */
function writeConfiguration(directory: string, password: boolean): string {
  const accounts = join(directory, 'htpasswd');
  const config = {
    version: '0.1',
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(directory, 'data') } },
    http: { addr: '127.0.0.1:0' },
    ...(password && { auth: { htpasswd: { realm: 'rxlet', path: accounts } } }),
  };
  if (password) writeFileSync(accounts, HTPASSWD, { mode: 0o600 });
  const path = join(directory, 'config.yml');
  writeFileSync(path, JSON.stringify(config));
  return path;
}

interface Server {
  /** Resolves with the port that it listens on, once it does. */
  port(): Promise<number>;
  end(): Promise<void>;
}

function spawnServer(config: string): Server {
  // It dies with this process even if that is killed.
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', PROGRAM, 'serve', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: searchPath() },
  });
  let output = '';
  let ended: string | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => (output = `${output}${data.toString()}`.slice(-OUTPUT_KEPT)));
  }
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `it exited with ${String(signal ?? code)}`));
  // With port 0 it takes a free port and logs it.
  const port = (): string | undefined => /listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
  return {
    async port() {
      try {
        await until('its port', START_TIMEOUT_MS, () => {
          if (ended !== undefined) throw new Error(ended);
          return port() !== undefined;
        });
      } catch (error) {
        throw new Error(`${PROGRAM} did not come up: ${errorMessage(error)}\n${output}`, { cause: error });
      }
      return Number(port());
    },
    async end() {
      child.kill('SIGKILL');
      await until(`the exit of ${PROGRAM}`, END_TIMEOUT_MS, () => ended !== undefined);
    },
  };
}

function basicAuthorization({ username, password }: RegistryAccount): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
