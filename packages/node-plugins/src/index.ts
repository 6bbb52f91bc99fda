export { nodePlugins, type NodePluginsOptions } from './node-plugins-module.ts';
export { createPluginWatcher, type PluginWatcher, type PluginWatcherPorts } from './registration/plugin-watcher.ts';
export { PluginCallError } from './rpc/plugin-call-error.ts';
export { connectToPlugin, type PluginConnection } from './rpc/plugin-connection.ts';
export { createSocketTransport } from './rpc/socket-transport.ts';
export {
  callPlugin,
  type PluginCallOptions,
  type PluginCallTarget,
  type Transport,
  withCallDeadline,
} from './rpc/transport.ts';
