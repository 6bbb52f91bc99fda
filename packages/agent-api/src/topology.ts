export {
  type AllocationFailure,
  type HintProvider,
  noAffinity,
  type NumaHint,
  type ResourceHints,
  topologyAlignment,
  type TopologyAlignment,
  mayUseResources,
} from './topology-alignment.ts';
