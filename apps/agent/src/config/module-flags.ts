export { FLAG_HELP } from '@rxlet/kubelet';
