export { ContainerAllocateResponseSchema } from '../gen/deviceplugin/v1beta1/api_pb.js';
export {
  createTestDevicePlugin,
  type PluginFault,
  type TestDevice,
  type TestDevicePlugin,
  type TestDevicePluginOptions,
} from './testing/test-device-plugin.ts';
