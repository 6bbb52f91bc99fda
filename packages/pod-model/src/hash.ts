export { containerHash, goJson } from './container-hash.ts';
export { fnv1a32 } from './fnv.ts';
