export { type PluginDescription, type PluginHandler, pluginRegistry, type PluginRegistry } from './plugin-registry.ts';
