export { contributionsTo } from './testing/contributions-to.ts';
export { createNodeConfiguration } from './testing/node-configuration.ts';
