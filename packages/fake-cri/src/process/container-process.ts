import type { Container } from '../runtime-objects.ts';
import { createContainerFiles } from '../fs/container-files.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { lazyFiles } from '../fs/lazy-files.ts';
import { HOST_IP } from '../network/pod-network.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { Peers, Surroundings } from './surroundings.ts';

const decoder = new TextDecoder();

/** Returns the command line of a container: its command replaces the image's entrypoint, its arguments the image's. */
export function containerCommand({ config, image }: Container): readonly string[] {
  if (config.command.length > 0) return [...config.command, ...config.args];
  return [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
}

/** Returns the surroundings of a container's programs, shared by its own and those of ExecSync. */
export function surroundingsOf(state: RuntimeState, container: Container): Surroundings {
  const { sandbox, config } = container;
  const user = container.status.user?.linux;
  return {
    env: containerEnvironment(container),
    files: lazyFiles(() => filesOf(state, container)),
    workingDirectory: config.workingDir === '' ? '/' : config.workingDir,
    hostname: sandbox.config.hostname,
    uid: user?.uid ?? 0n,
    gid: user?.gid ?? 0n,
    peers: peersOf(state, container),
    kill(pid, signal) {
      if (pid !== 1 || container.process === undefined) return false;
      container.process.signal(signal);
      return true;
    },
  };
}

/** Returns the environment of a container: common variables, then its image's, then its own. */
function containerEnvironment({ config, image, sandbox }: Container): ReadonlyMap<string, string> {
  const env = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', sandbox.config.hostname],
  ]);
  for (const variable of image.env) {
    const equals = variable.indexOf('=');
    if (equals > 0) env.set(variable.slice(0, equals), variable.slice(equals + 1));
  }
  for (const { key, value } of config.envs) env.set(key, decoder.decode(value));
  return env;
}

/** Returns the files of a container, which all its programs share. */
function filesOf(state: RuntimeState, container: Container): FileSystem {
  const { sandbox, config } = container;
  container.files ??= createContainerFiles(
    { hostname: sandbox.config.hostname, ip: sandbox.ip, mounts: config.mounts },
    state.hostFiles,
  );
  return container.files;
}

/** Other pods by address; its own pod as `localhost`. */
function peersOf({ network }: RuntimeState, { sandbox }: Container): Peers {
  const ownNames = ['localhost', '127.0.0.1', sandbox.config.hostname];
  const addressOf = (host: string): string => (ownNames.includes(host) ? (sandbox.ip ?? HOST_IP) : host);
  return {
    async httpGet(host, port, path, signal) {
      const { status, body = '' } = await network.httpGet(addressOf(host), port, path, { signal });
      return { status, body };
    },
    async connect(host, port) {
      const connection = await network.dial(addressOf(host), port);
      connection.destroy();
    },
  };
}
