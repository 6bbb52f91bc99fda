export { testManifest } from './test-manifest.ts';
export { manifestPod } from './manifest-pod.ts';
export { mutatedPod } from './mutated-pod.ts';
