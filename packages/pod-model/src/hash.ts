export { containerHash } from './container-hash.ts';
export { fnv1a32 } from './fnv.ts';
export { goJson } from './go-json.ts';
