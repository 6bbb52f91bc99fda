import type { PluginHandler } from '@rxlet/agent-api/plugins';
import { type Clock, createBackoff, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { type HostEntry, type HostFiles, systemErrorCode } from '@rxlet/node-files';
import type { Transport } from '../rpc/transport.ts';
import { type RegisteredPlugin, registerPlugin } from './register-plugin.ts';

/** Ports of {@link createPluginWatcher}. */
export interface PluginWatcherPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hostFiles: Pick<HostFiles, 'list'>;
  readonly transport: Transport;
  readonly handlers: readonly PluginHandler[];
}

/** Registers the plugins whose sockets are below a directory, and removes those whose socket is gone or was replaced (kubelet: plugin manager). */
export interface PluginWatcher extends AsyncDisposable {
  /** Lists the sockets once and waits for the registrations, then does so every second. */
  start(): void;
}

const PERIOD_MS = 1_000;
const BACKOFF = { initialMs: 500, maxMs: 122_000 };
/** Bound for directories below each other, and for sockets. */
const MAX_DEPTH = 4;
const MAX_SOCKETS = 256;

interface KnownSocket {
  /** Identity of the socket's file: another one is a plugin that has restarted. */
  readonly version: string;
  registered?: RegisteredPlugin;
}

/** Creates a {@link PluginWatcher} of `<root>/plugins_registry`. */
export function createPluginWatcher(ports: PluginWatcherPorts, directory: string): PluginWatcher {
  const { clock, logger, hostFiles, transport, handlers } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const backoff = createBackoff(BACKOFF);
  const sockets = new Map<string, KnownSocket>();
  const registrations = new Map<string, Promise<void>>();
  const problems = new Map<string, string>();

  const logOnce = (subject: string, message: string | undefined): void => {
    if (message !== undefined && problems.get(subject) !== message)
      logger.warn('cannot register a plugin', { socket: subject, error: message });
    if (message === undefined) problems.delete(subject);
    else problems.set(subject, message);
  };

  const deregister = (path: string): void => {
    const { registered } = sockets.get(path) ?? {};
    sockets.delete(path);
    if (registered === undefined) return;
    registered.handler.deregister(registered.plugin);
    logger.info('a plugin is gone', { socket: path, plugin: registered.plugin.name });
  };

  const register = async (path: string, version: string): Promise<void> => {
    const socket: KnownSocket = { version };
    sockets.set(path, socket);
    try {
      socket.registered = await registerPlugin({ clock, transport, socketPath: path }, handlers, signal);
      backoff.reset(path);
      logOnce(path, undefined);
      logger.info('registered a plugin', { socket: path, plugin: socket.registered.plugin.name });
    } catch (error) {
      sockets.delete(path);
      if (signal.aborted) return;
      backoff.next(path, clock.monotonicNow());
      logOnce(path, errorMessage(error));
    } finally {
      registrations.delete(path);
    }
  };

  const reconcile = async (): Promise<void> => {
    const found = await findSockets(hostFiles, directory);
    for (const [path, { version }] of [...sockets])
      if (found.get(path) !== version && !registrations.has(path)) deregister(path);
    for (const path of problems.keys()) if (!found.has(path)) problems.delete(path);
    backoff.collectGarbage(clock.monotonicNow());
    for (const [path, version] of found) {
      if (sockets.has(path) || registrations.has(path)) continue;
      if (backoff.blockedUntilMs(path, clock.monotonicNow()) !== undefined) continue;
      registrations.set(path, register(path, version));
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await reconcile();
        logOnce(directory, undefined);
      } catch (error) {
        logOnce(directory, errorMessage(error));
      }
      await sleep(clock, PERIOD_MS, signal).catch(() => undefined);
    }
  };

  let running: Promise<void> | undefined;
  return {
    start: () => void (running ??= run()),
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      await running;
      await Promise.all(registrations.values());
    },
  };
}

/** Returns the sockets below a directory with the versions of their files. Names with a leading dot are ignored. */
async function findSockets(
  hostFiles: Pick<HostFiles, 'list'>,
  directory: string,
  depth = MAX_DEPTH,
  found: Map<string, string> = new Map(),
): Promise<ReadonlyMap<string, string>> {
  for (const { name, path, info } of await listDirectory(hostFiles, directory)) {
    if (name.startsWith('.') || info === undefined) continue;
    if (info.kind === 'directory' && depth > 0) await findSockets(hostFiles, path, depth - 1, found);
    if (info.kind === 'socket' && found.size < MAX_SOCKETS) found.set(path, `${info.identity} ${info.version}`);
  }
  return found;
}

async function listDirectory(hostFiles: Pick<HostFiles, 'list'>, directory: string): Promise<readonly HostEntry[]> {
  try {
    const { kind, entries } = await hostFiles.list(directory);
    return kind === 'directory' ? entries : [];
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
