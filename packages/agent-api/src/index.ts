export type { AdmissionDecision, AdmissionHandler, AdmissionPreparation, AdmissionRejection } from './admission.ts';
export type { AgentCore, ContainerGarbageOptions, KillPodRequest, PodChange, PodList } from './agent-core.ts';
export type { AgentModule, ModuleContext, ModuleParts } from './agent-module.ts';
export type { CorePorts, NodeIdentity } from './core-ports.ts';
export {
  collectionKey,
  type CollectionKey,
  type CollectionLookup,
  type CollectionOptions,
  contribute,
  type Contribution,
} from './collection-key.ts';
export {
  admissionHandlers,
  type DebugSection,
  debugSections,
  type HealthCheck,
  healthChecks,
  podSteps,
  syncTriggers,
} from './core-collections.ts';
export { type OtherPods, otherPods, type PodAmounts } from './other-pods.ts';
export { type PodStep, PodRejectedError, PodStepError, type TerminatingPod } from './pod-step.ts';
export { provide, type ProvidedService, type ServiceKey, serviceKey, type ServiceLookup } from './service-key.ts';
