export {
  createTestDraPlugin,
  type DraCall,
  testDevice,
  type TestDraPlugin,
  type TestDraPluginOptions,
} from './testing/test-dra-plugin.ts';
