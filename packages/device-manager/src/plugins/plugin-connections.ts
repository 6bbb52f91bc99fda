import { type Clock, createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import type { PluginDevice, PluginOptions } from './device.ts';
import type { ConnectDevicePlugin, DevicePlugin } from './device-plugin.ts';

/** Ports of {@link createPluginConnections}. */
export interface PluginConnectionsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly connect: ConnectDevicePlugin;
  /** Reports whether there is room for a resource: each is a field of the Node object. */
  hasRoomFor(resource: string): boolean;
  /** Called when a plugin has answered for its resource. */
  connected(resource: string): void;
  /** Called with all devices of a resource, after each change. */
  listed(resource: string, devices: readonly PluginDevice[]): void;
  /** Called when the plugin of a resource is gone, unless another one took its place. */
  disconnected(resource: string): void;
}

/** Connections to the plugin of each resource. Disposal closes all. */
export interface PluginConnections extends AsyncDisposable {
  /** Connects to the plugin of a resource, in place of an earlier one, and follows its devices. Rejects when it does not answer. */
  open(resource: string, socketPath: string, signal?: AbortSignal): Promise<void>;
  /** Closes the connection of a resource, if it leads to this socket. */
  close(resource: string, socketPath: string): void;
  /** Returns the connected plugin of a resource with its options. */
  find(resource: string): ConnectedPlugin | undefined;
}

/** A plugin that has answered. */
export interface ConnectedPlugin {
  readonly plugin: DevicePlugin;
  readonly options: PluginOptions;
}

interface Connection {
  readonly socketPath: string;
  readonly plugin: DevicePlugin;
  readonly life: AbortController;
  options: PluginOptions | undefined;
  /** Whether the resource has devices of this plugin, or of the one whose place it takes. */
  hasDevices: boolean;
}

/** Time for a plugin to accept a connection and to describe itself. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Bound for connections, also those of plugins that have not answered yet. */
const MAX_CONNECTIONS = 256;

/** Creates {@link PluginConnections}. */
export function createPluginConnections(ports: PluginConnectionsPorts): PluginConnections {
  const { logger, connect } = ports;
  const lifetime = createLifetime();
  const connections = new Map<string, Connection>();

  const end = (connection: Connection): void => {
    connection.life.abort(new Error('the connection to the device plugin is closed'));
    connection.plugin[Symbol.dispose]();
  };
  /** Removes a connection, unless another one has taken its place. */
  const remove = (resource: string, connection: Connection): void => {
    end(connection);
    if (connections.get(resource) !== connection) return;
    connections.delete(resource);
    if (connection.hasDevices) ports.disconnected(resource);
  };

  const follow = async (resource: string, connection: Connection): Promise<void> => {
    const { plugin, life } = connection;
    let cause = 'the plugin has ended the stream';
    try {
      const listed = (devices: readonly PluginDevice[]): void => {
        if (connections.get(resource) === connection) ports.listed(resource, devices);
      };
      await plugin.watch(listed, life.signal);
    } catch (error) {
      cause = errorMessage(error);
    }
    if (!life.signal.aborted) logger.warn('the stream of devices has ended', { resource, error: cause });
    remove(resource, connection);
  };

  return {
    async open(resource, socketPath, signal) {
      lifetime.signal.throwIfAborted();
      if (!connections.has(resource) && (connections.size >= MAX_CONNECTIONS || !ports.hasRoomFor(resource)))
        throw new Error(
          'no more resources of devices are possible: those of plugins that are gone are removed after five minutes',
        );
      const earlier = connections.get(resource);
      const connection: Connection = {
        socketPath,
        plugin: connect(socketPath),
        life: new AbortController(),
        options: undefined,
        // Devices stay healthy while a plugin takes the place of another one.
        hasDevices: earlier?.hasDevices ?? false,
      };
      connections.set(resource, connection);
      if (earlier !== undefined) end(earlier);
      try {
        const either = AbortSignal.any([connection.life.signal, ...(signal === undefined ? [] : [signal])]);
        const options = await connection.plugin.options({ timeoutMs: CONNECT_TIMEOUT_MS, signal: either });
        either.throwIfAborted();
        connection.options = options;
        connection.hasDevices = true;
      } catch (error) {
        remove(resource, connection);
        throw new Error(`failed to get device plugin options: ${errorMessage(error)}`, { cause: error });
      }
      ports.connected(resource);
      void lifetime.track(follow(resource, connection));
    },
    close(resource, socketPath) {
      const connection = connections.get(resource);
      if (connection?.socketPath === socketPath) remove(resource, connection);
    },
    find(resource) {
      const { plugin, options } = connections.get(resource) ?? {};
      return plugin === undefined || options === undefined ? undefined : { plugin, options };
    },
    async [Symbol.asyncDispose]() {
      const disposal = lifetime[Symbol.asyncDispose]();
      for (const [resource, connection] of [...connections]) remove(resource, connection);
      await disposal;
    },
  };
}
