export { contributionsTo } from './testing/contributions-to.ts';
export { createMemoryKube, type KubeRequest, type MemoryKube } from './testing/memory-kube.ts';
