import type { RecordedEvent } from '@rxlet/component-base';
import type { Observable } from 'rxjs';
import type { AdmissionHandler } from './admission.ts';
import { collectionKey } from './collection-key.ts';
import type { ContainerStep } from './container-step.ts';
import type { MirrorPods } from './mirror-pods.ts';
import type { PodSource } from './pod-source.ts';
import type { PodEvictor, PodStatusContributor, StatusRestorer, StatusSink } from './pod-status.ts';
import type { PodStep } from './pod-step.ts';
import type { SupportedPodField } from './supported-pod-field.ts';

// Collections that the core runs. Each is a registry that the kubelet has too. Contributions keep the order of set-up: providers of services before users,
// otherwise the order of the assembler's list.

/** Config channels: the origins of pods. */
export const podSources = collectionKey<PodSource>('pod sources', { owns: ({ name }) => [`pod source "${name}"`] });

/** PodAdmitHandlers, called in order; the first rejection wins and a throw rejects. */
export const admissionHandlers = collectionKey<AdmissionHandler>('admission handlers');

/** Steps of SyncPod, SyncTerminatingPod and SyncTerminatedPod. */
export const podSteps = collectionKey<PodStep>('pod steps', {
  members: ['name', 'prepare', 'terminating', 'stopped', 'tearDown'] satisfies (keyof PodStep)[],
});

/** GenerateRunContainerOptions and InternalContainerLifecycle. */
export const containerSteps = collectionKey<ContainerStep>('container steps', {
  members: ['name', 'additions', 'preCreate', 'preStart', 'postStop'] satisfies (keyof ContainerStep)[],
});

/** PodSyncLoopHandlers: UIDs of pods that need a sync now. */
export const syncTriggers = collectionKey<Observable<string>>('sync triggers');

/** PodSyncHandlers: may fail a pod while its status is generated. */
export const podEvictors = collectionKey<PodEvictor>('pod evictors');

/** Conditions of generated pod statuses; each contributor owns its condition types. */
export const podStatusContributors = collectionKey<PodStatusContributor>('pod status contributors', {
  owns: ({ conditionTypes }) => conditionTypes.map((type) => `pod condition "${type}"`),
});

/** Statuses of an earlier run of the agent; the first restorer that has a pod wins. */
export const statusRestorers = collectionKey<StatusRestorer>('status restorers');

/** Receivers of pod statuses, isolated from each other. */
export const statusSinks = collectionKey<StatusSink>('status sinks');

/** Receiver of recorded events. */
export type EventSink = (event: RecordedEvent) => void;

/** Receivers of events, isolated from each other. */
export const eventSinks = collectionKey<EventSink>('event sinks');

/** Representation of static pods in an API server. At most one module contributes it. */
export const mirrorPods = collectionKey<MirrorPods>('mirror pods', { owns: () => ['mirror pods'] });

/** Steps of HandlePodCleanups, run every two seconds once all sources are ready; isolated from each other. */
export const housekeepingSteps = collectionKey<HousekeepingStep>('housekeeping steps');

/** Garbage collection, run at start and then every minute; isolated from each other. */
export const garbageCollectionSteps = collectionKey<GarbageCollectionStep>('garbage collection steps');

/** Checks behind /healthz. */
export const healthChecks = collectionKey<HealthCheck>('health checks', {
  owns: ({ name }) => [`health check "${name}"`],
});

/** Sections of the debug state. */
export const debugSections = collectionKey<DebugSection>('debug sections', {
  owns: ({ name }) => [`debug section "${name}"`],
});

/** Pod fields that a module honours. A pod that sets any other field is rejected, which names the field. */
export const supportedPodFields = collectionKey<SupportedPodField>('supported pod fields');

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
