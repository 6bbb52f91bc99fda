import { type ServiceKey, serviceKey } from './service-key.ts';

/** Registration of plugins by their sockets in the agent's directory `plugins_registry`. */
export const pluginRegistry: ServiceKey<PluginRegistry> = serviceKey('plugin registry');

/** Registers the plugins of a node with the handlers of their types (kubelet: plugin manager). */
export interface PluginRegistry {
  /** Adds the handler of a type. Call it while the module is set up: plugins of a type without a handler are rejected. */
  addHandler(handler: PluginHandler): void;
}

/** A plugin as it describes itself. */
export interface PluginDescription {
  readonly type: string;
  readonly name: string;
  /** Socket of the plugin's own services. */
  readonly endpoint: string;
  readonly versions: readonly string[];
}

/** Accepts plugins of one type (kubelet: PluginHandler). */
export interface PluginHandler {
  /** Such as `CSIPlugin`. */
  readonly type: string;
  /** Registers a plugin. A rejection is the plugin's answer. */
  register(plugin: PluginDescription, signal: AbortSignal): Promise<void>;
  /** Removes a plugin whose socket is gone. */
  deregister(plugin: PluginDescription): void;
}
