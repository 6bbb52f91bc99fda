import {
  admissionHandlers,
  type CollectionKey,
  contribute,
  type Contribution,
  type DebugSection,
  debugSections,
  type HealthCheck,
  healthChecks,
  podSteps,
  syncTriggers,
} from '@rxlet/agent-api';
import { reconfigurations } from '@rxlet/agent-api/configuration';
import { containerSteps } from '@rxlet/agent-api/containers';
import { eventSinks } from '@rxlet/agent-api/events';
import { journalSinks } from '@rxlet/agent-api/journal';
import { garbageCollectionSteps, housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podSources } from '@rxlet/agent-api/sources';
import {
  mirrorPods,
  podEvictors,
  podStatusContributors,
  statusRestorers,
  statusSinks,
} from '@rxlet/agent-api/statuses';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-config';
import type { PodStates } from '@rxlet/pod-workers';
import type { Observable } from 'rxjs';
import { corePodFields } from '../host/core-pod-fields.ts';
import type { StepFailures } from '../housekeeping/isolated-steps.ts';
import type { LoopActivity } from '../sync-loop/loop-activity.ts';
import type { PodAdmissions } from '../sync-loop/pod-admissions.ts';
import type { RuntimeState } from './runtime-state.ts';

/** Collections that the core runs, or shows through the agent. */
export const coreCollections: readonly CollectionKey<unknown>[] = [
  podSources,
  admissionHandlers,
  podSteps,
  containerSteps,
  syncTriggers,
  podEvictors,
  podStatusContributors,
  statusRestorers,
  statusSinks,
  eventSinks,
  journalSinks,
  reconfigurations,
  mirrorPods,
  housekeepingSteps,
  garbageCollectionSteps,
  healthChecks,
  debugSections,
  supportedPodFields,
];

/** Parts of the core that {@link coreContributions} shows. */
export interface CoreContributionPorts {
  readonly config: Pick<PodConfig, 'pods' | 'sourcesReady' | 'problems'>;
  readonly pleg: Pick<Pleg, 'pods' | 'problem' | 'unreadablePods' | 'queue'>;
  readonly runtimeState: Pick<RuntimeState, 'runtimeProblem' | 'networkProblem'>;
  readonly podStates: Pick<PodStates, 'inspect'>;
  readonly admissions: Pick<PodAdmissions, 'waiting'>;
  readonly activity: Pick<LoopActivity, 'problem'>;
  readonly housekeepingFailures: Pick<StepFailures, 'problem'>;
  /** UIDs of pods for which the core itself requests a sync. */
  readonly syncRequests$: Observable<string>;
}

/** Returns the contributions of the core itself. */
export function coreContributions(ports: CoreContributionPorts): readonly Contribution[] {
  return [
    contribute(syncTriggers, ports.syncRequests$),
    contribute(healthChecks, ...coreHealthChecks(ports)),
    contribute(debugSections, ...coreDebugSections(ports)),
    contribute(supportedPodFields, ...corePodFields),
  ];
}

function coreHealthChecks({
  activity,
  housekeepingFailures,
  pleg,
  config,
}: CoreContributionPorts): readonly HealthCheck[] {
  return [
    { name: 'ping', check: () => undefined },
    { name: 'syncloop', check: () => activity.problem() },
    { name: 'housekeeping', check: () => housekeepingFailures.problem() },
    { name: 'pleg', check: () => pleg.problem() },
    { name: 'sources', check: () => unavailableSources(config) },
  ];
}

/** Returns the problems of pod sources that cannot be read. A problem of a single pod is not one of the agent's health. */
function unavailableSources(config: Pick<PodConfig, 'problems'>): string | undefined {
  const unavailable = config.problems.value.filter(({ reason }) => reason === 'SourceUnavailable');
  return unavailable.length === 0 ? undefined : unavailable.map(({ message }) => message).join('; ');
}

/** Times of day are RFC 3339, all others ages or delays in milliseconds. */
function coreDebugSections({
  config,
  pleg,
  runtimeState,
  podStates,
  admissions,
}: CoreContributionPorts): readonly DebugSection[] {
  return [
    {
      name: 'runtime',
      inspect: () => ({ problem: runtimeState.runtimeProblem(), networkProblem: runtimeState.networkProblem() }),
    },
    {
      name: 'sources',
      inspect: () => ({ ready: config.sourcesReady(), pods: config.pods().length, problems: config.problems.value }),
    },
    {
      name: 'pleg',
      inspect: () => ({
        problem: pleg.problem(),
        pods: pleg.pods().length,
        unreadablePods: [...pleg.unreadablePods()].map(([uid, { message }]) => ({ uid, error: message })),
        ...pleg.queue(),
      }),
    },
    {
      name: 'queues',
      inspect() {
        const pods = podStates.inspect();
        const stepAges = pods.flatMap(({ stepAgeMs }) => stepAgeMs ?? []);
        return {
          podSteps: { running: stepAges.length, oldestAgeMs: Math.max(0, ...stepAges) },
          admission: { depth: admissions.waiting.size },
          podsDue: { depth: pods.filter(({ nextStepInMs }) => nextStepInMs !== undefined).length },
        };
      },
    },
    { name: 'pods', inspect: () => podStates.inspect() },
  ];
}
