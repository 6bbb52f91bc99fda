export {
  type AllocationFailure,
  type HintProvider,
  noAffinity,
  type NumaHint,
  type ResourceHints,
  topologyAlignment,
  type TopologyAlignment,
} from './topology-alignment.ts';
export { mayUseResources } from './may-use-resources.ts';
