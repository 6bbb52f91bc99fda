export { podResources } from './pod-resources-module.ts';
export { createPodResourcesApi, type PodResourcesApi, type PodResourcesPorts } from './pod-resources-api.ts';
export { servePodResources } from './serve-pod-resources.ts';
