export { Registration } from '../gen/pluginregistration/v1/api_pb.js';
export {
  createTestPluginServer,
  type TestPluginHandlers,
  type TestPluginServer,
} from './testing/test-plugin-server.ts';
