export { defaultPod } from './defaults/default-pod.ts';
