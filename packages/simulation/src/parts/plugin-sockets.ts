import type { AgentModule } from '@rxlet/agent-api';
import { nodePlugins, type Transport } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import type { TestNode } from '@rxlet/testing';

/** Answer of a plugin that registers. */
export interface PluginInfo {
  readonly type: string;
  readonly name: string;
  readonly supportedVersions: readonly string[];
}

/** The socket by which a plugin registers. */
export interface PluginSocket {
  readonly path: string;
  /** Creates the socket. */
  open(): void;
  /** Removes the socket. */
  close(): void;
}

/** Sockets of the plugins of a node, which all parts share. */
export interface PluginSockets {
  /** Adds a plugin, and creates its socket. */
  add(name: string, info: PluginInfo): PluginSocket;
  /** Returns the modules of an agent that find the sockets; none when no part has a plugin. */
  modules(): readonly AgentModule[];
}

/** Creates {@link PluginSockets}. */
export function createPluginSockets({ files }: TestNode): PluginSockets {
  const transports = new Map<string, Transport>();
  const transport: Transport = (path, ...call) => {
    const found = transports.get(path);
    return found === undefined ? Promise.reject(new Error('connect ENOENT')) : found(path, ...call);
  };
  return {
    add(name, info) {
      const path = `/root/plugins_registry/${name}.sock`;
      const server = createTestPluginServer([Registration], {
        answer: async (method) => (method.name === 'GetInfo' ? info : {}),
      });
      transports.set(path, server.transport);
      const socket: PluginSocket = {
        path,
        open: () => files.putSpecial(path, 'socket'),
        close: () => files.remove(path),
      };
      socket.open();
      return socket;
    },
    modules: () => (transports.size === 0 ? [] : [nodePlugins({ transport })]),
  };
}
