export { default } from './tools/vitest/vitest.config.ts';
