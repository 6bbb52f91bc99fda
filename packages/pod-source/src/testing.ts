export { testManifest } from './test-manifest.ts';
export { mutatedPod } from './mutated-pod.ts';
