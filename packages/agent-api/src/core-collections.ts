import type { RecordedEvent } from '@rxlet/component-base/events';
import type { Observable } from 'rxjs';
import type { AdmissionHandler } from './admission.ts';
import { collectionKey, type CollectionKey } from './collection-key.ts';
import type { ContainerStep } from './container-step.ts';
import type { MirrorPods } from './mirror-pods.ts';
import type { PodSource } from './pod-source.ts';
import type { PodEvictor, PodStatusContributor, StatusRestorer, StatusSink } from './pod-status.ts';
import type { PodStep } from './pod-step.ts';
import type { SupportedPodField } from './supported-pod-field.ts';

// Collections that the core runs. Each is a registry that the kubelet has too. Contributions keep the order of set-up: providers of services before users,
// otherwise the order of the assembler's list.

/** Config channels: the origins of pods. */
export const podSources: CollectionKey<PodSource> = collectionKey('pod sources', {
  owns: ({ name }) => [`pod source "${name}"`],
});

/** PodAdmitHandlers, called in order; the first rejection wins and a throw rejects. */
export const admissionHandlers: CollectionKey<AdmissionHandler> = collectionKey('admission handlers');

/** Steps of SyncPod, SyncTerminatingPod and SyncTerminatedPod. */
export const podSteps: CollectionKey<PodStep> = collectionKey('pod steps', {
  members: [
    'name',
    'prepare',
    'prepareSandbox',
    'terminating',
    'stopped',
    'release',
    'tearDown',
  ] satisfies (keyof PodStep)[],
});

/** GenerateRunContainerOptions and InternalContainerLifecycle. */
export const containerSteps: CollectionKey<ContainerStep> = collectionKey('container steps', {
  members: ['name', 'additions', 'preCreate', 'preStart', 'postStop'] satisfies (keyof ContainerStep)[],
});

/** PodSyncLoopHandlers: UIDs of pods that need a sync now. */
export const syncTriggers: CollectionKey<Observable<string>> = collectionKey('sync triggers');

/** PodSyncHandlers: may fail a pod while its status is generated. */
export const podEvictors: CollectionKey<PodEvictor> = collectionKey('pod evictors');

/** Conditions of generated pod statuses; each contributor owns its condition types. */
export const podStatusContributors: CollectionKey<PodStatusContributor> = collectionKey('pod status contributors', {
  owns: ({ conditionTypes }) => conditionTypes.map((type) => `pod condition "${type}"`),
});

/** Statuses of an earlier run of the agent; the first restorer that has a pod wins. */
export const statusRestorers: CollectionKey<StatusRestorer> = collectionKey('status restorers');

/** Receivers of pod statuses, isolated from each other. */
export const statusSinks: CollectionKey<StatusSink> = collectionKey('status sinks');

/** Receiver of recorded events. */
export type EventSink = (event: RecordedEvent) => void;

/** Receivers of events, isolated from each other. */
export const eventSinks: CollectionKey<EventSink> = collectionKey('event sinks');

/** Representation of static pods in an API server. At most one module contributes it. */
export const mirrorPods: CollectionKey<MirrorPods> = collectionKey('mirror pods', { owns: () => ['mirror pods'] });

/** Steps of HandlePodCleanups, run every two seconds once all sources are ready; isolated from each other. */
export const housekeepingSteps: CollectionKey<HousekeepingStep> = collectionKey('housekeeping steps');

/** Garbage collection, run at start and then every minute; isolated from each other. */
export const garbageCollectionSteps: CollectionKey<GarbageCollectionStep> = collectionKey('garbage collection steps');

/** Checks behind /healthz. */
export const healthChecks: CollectionKey<HealthCheck> = collectionKey('health checks', {
  owns: ({ name }) => [`health check "${name}"`],
});

/** Sections of the debug state. */
export const debugSections: CollectionKey<DebugSection> = collectionKey('debug sections', {
  owns: ({ name }) => [`debug section "${name}"`],
});

/** Pod fields that a module honours. A pod that sets any other field is rejected, which names the field. */
export const supportedPodFields: CollectionKey<SupportedPodField> = collectionKey('supported pod fields');

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
