export { createTestImages, type TestImages, type TestImagesOptions } from './test-images.ts';
