export type { AdmissionDecision, AdmissionHandler, AdmissionPreparation, AdmissionRejection } from './admission.ts';
export type { AgentCore, EventList, KillPodRequest, PodChange, PodList, SourceProblemList } from './agent-core.ts';
export type { AgentModule, ModuleContext, ModuleParts } from './agent-module.ts';
export type { AddedDevice, AddedMount, ContainerAdditions, ContainerStep } from './container-step.ts';
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
  containerSteps,
  type DebugSection,
  debugSections,
  type EventSink,
  eventSinks,
  type GarbageCollectionStep,
  garbageCollectionSteps,
  type HealthCheck,
  healthChecks,
  type HousekeepingContext,
  type HousekeepingStep,
  housekeepingSteps,
  mirrorPods,
  podEvictors,
  podSources,
  podStatusContributors,
  podSteps,
  statusRestorers,
  statusSinks,
  supportedPodFields,
  syncTriggers,
} from './core-collections.ts';
export type { PodSource, PodSourceChange, PodSourceProblem } from './pod-source.ts';
export { type PodStep, PodStepError, type TerminatingPod } from './pod-step.ts';
export { provide, type ProvidedService, type ServiceKey, serviceKey, type ServiceLookup } from './service-key.ts';
export { type ConditionalPodField, containerFields, type SupportedPodField } from './supported-pod-field.ts';
