import type { RecordedEvent } from '@rxlet/component-base';
import type { Observable } from 'rxjs';
import type { AdmissionHandler } from './admission.ts';
import type { ContainerStep } from './container-step.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import type { MirrorPods } from './mirror-pods.ts';
import type { NodeStatusSetter } from './node-status.ts';
import type { PodSource } from './pod-source.ts';
import type { PodEvictor, PodStatusContributor, StatusRestorer, StatusSink } from './pod-status.ts';
import type { PodStep } from './pod-step.ts';
import type { SupportedPodField } from './supported-pod-field.ts';

/**
 * The closed list of places where modules extend an agent. Each is a registry that the kubelet has too. Contributions keep the order of set-up: providers
 * before users, otherwise the order of the assembler's list.
 */
export interface ExtensionPoints {
  /** Config channels: the origins of pods. */
  readonly podSources: readonly PodSource[];
  /** PodAdmitHandlers, called in order; the first rejection wins and a throw rejects. */
  readonly admission: readonly AdmissionHandler[];
  /** Steps of SyncPod, SyncTerminatingPod and SyncTerminatedPod. */
  readonly podSteps: readonly PodStep[];
  /** GenerateRunContainerOptions and InternalContainerLifecycle. */
  readonly containerSteps: readonly ContainerStep[];
  /** PodSyncLoopHandlers: UIDs of pods that need a sync now. */
  readonly syncTriggers: readonly Observable<string>[];
  /** PodSyncHandlers: may fail a pod while its status is generated. */
  readonly evictors: readonly PodEvictor[];
  /** Conditions of generated pod statuses; each contributor owns its condition types. */
  readonly podStatus: readonly PodStatusContributor[];
  /** Fields and conditions of the Node object's status; each setter owns its own. */
  readonly nodeStatus: readonly NodeStatusSetter[];
  /** Statuses of an earlier run of the agent; the first restorer that has a pod wins. */
  readonly statusRestorers: readonly StatusRestorer[];
  /** Receivers of pod statuses, isolated from each other. */
  readonly statusSinks: readonly StatusSink[];
  /** Receivers of events, isolated from each other. */
  readonly eventSinks: readonly ((event: RecordedEvent) => void)[];
  /** Representation of static pods in an API server. At most one module contributes it. */
  readonly mirrorPods: readonly MirrorPods[];
  /** Steps of HandlePodCleanups, run every two seconds once all sources are ready; isolated from each other. */
  readonly housekeeping: readonly HousekeepingStep[];
  /** Garbage collection, run at start and then every minute; isolated from each other. */
  readonly garbageCollection: readonly GarbageCollectionStep[];
  /** HTTP endpoints, by the first segment of their path. */
  readonly endpoints: readonly HttpEndpoint[];
  /** Checks behind /healthz. */
  readonly healthChecks: readonly HealthCheck[];
  /** Sections of the debug state. */
  readonly debugState: readonly DebugSection[];
  /** Pod fields that the module honours. A pod that sets any other field is rejected, which names the field. */
  readonly supportedPodFields: readonly SupportedPodField[];
}

/** A step of housekeeping. */
export interface HousekeepingStep {
  readonly name: string;
  /** Cleans up after pods that are gone. A step that still runs is not started again. */
  run(housekeeping: HousekeepingContext): void | Promise<void>;
}

/** Input of a housekeeping step. */
export interface HousekeepingContext {
  /** UIDs of the pods of the sources and of all pods that have a worker. */
  readonly knownPodUids: ReadonlySet<string>;
  /** Aborts when the agent is disposed of. */
  readonly signal: AbortSignal;
}

/** A step of garbage collection. */
export interface GarbageCollectionStep {
  readonly name: string;
  /** Reason of the node event that reports a failure, such as `ContainerGCFailed`. */
  readonly failureReason: string;
  run(signal: AbortSignal): Promise<void>;
}

/** A named check of the agent's health. */
export interface HealthCheck {
  readonly name: string;
  /** Returns the problem; `undefined` when the check passes. */
  check(): string | undefined;
}

/** A section of the debug state: plain data for people, without a stable format. */
export interface DebugSection {
  readonly name: string;
  inspect(): unknown;
}
