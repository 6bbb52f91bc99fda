import { type AgentModule, provide } from '@rxlet/agent-api';
import { type PluginHandler, pluginRegistry } from '@rxlet/agent-api/plugins';
import { createPluginWatcher } from './registration/plugin-watcher.ts';
import { createSocketTransport } from './rpc/socket-transport.ts';
import type { Transport } from './rpc/transport.ts';

/** Options of {@link nodePlugins}. */
export interface NodePluginsOptions {
  /** Carries the calls of the registration. Default: gRPC over unix sockets. */
  readonly transport?: Transport | undefined;
}

/** Creates the agent module that registers plugins whose sockets are in `<root>/plugins_registry`. Modules such as `csi()` handle plugins of their type. */
export function nodePlugins({ transport = createSocketTransport() }: NodePluginsOptions = {}): AgentModule {
  return {
    name: 'node-plugins',
    provides: [pluginRegistry],
    setup({ clock, logger, files, hostFiles, node }) {
      const handlers: PluginHandler[] = [];
      const directory = `${node.rootDirectory}/plugins_registry`;
      const watcher = createPluginWatcher({ clock, logger, hostFiles, transport, handlers }, directory);
      return {
        services: [provide(pluginRegistry, { addHandler: (handler) => void handlers.push(handler) })],
        async start() {
          await files.makeDirectory(directory, 0o750);
          watcher.start();
        },
        [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose](),
      };
    },
  };
}
