export { createMemoryKube, type KubeRequest, type MemoryKube } from './testing/memory-kube.ts';
