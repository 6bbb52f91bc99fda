export { hookRunner, type HookRunner, type LifecycleHookRequest } from './hook-runner.ts';
export {
  podProbes,
  type PodProbes,
  type ProbeResult,
  type ProbeResultChange,
  type ProbeResults,
} from './pod-probes.ts';
export { terminationMessages, type TerminationMessages } from './termination-messages.ts';
export type { AddedDevice, AddedMount, ContainerAdditions, ContainerStep } from './container-step.ts';
export { containerSteps } from './core-collections.ts';
