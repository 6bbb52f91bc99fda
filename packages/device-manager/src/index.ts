export { devicePlugins, type DevicePluginsOptions } from './device-plugins-module.ts';
export { createDeviceManager, type DeviceManager, type DeviceManagerPorts } from './device-manager.ts';
export { REGISTRATION_SOCKET, type ServeRegistration } from './registration/serve-registration.ts';
export { formatCheckpoint, parseCheckpoint } from './checkpoint/checkpoint-format.ts';
export type { CheckpointData, CheckpointEntry } from './checkpoint/checkpoint-data.ts';
export type { PluginDevice, PluginOptions } from './plugins/device.ts';
export {
  type ConnectDevicePlugin,
  createDevicePlugin,
  type DevicePlugin,
  type PluginCall,
  type PreferenceRequest,
} from './plugins/device-plugin.ts';
export type { Register, RegistrationRequest } from './registration/registration-handler.ts';
