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
import { containerSteps } from '@rxlet/agent-api/containers';
import { eventSinks } from '@rxlet/agent-api/events';
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
import type { RuntimeHealth } from '@rxlet/agent-api/node';
import { corePodFields } from '../host/core-pod-fields.ts';
import type { LateCoreParts } from './core-handle.ts';

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
  mirrorPods,
  housekeepingSteps,
  garbageCollectionSteps,
  healthChecks,
  debugSections,
  supportedPodFields,
];

/** Returns the contributions of the core itself. `bound` returns its parts once they exist. */
export function coreContributions(bound: () => LateCoreParts): readonly Contribution[] {
  return [
    contribute(healthChecks, ...coreHealthChecks(bound)),
    contribute(debugSections, ...coreDebugSections(bound)),
    contribute(supportedPodFields, ...corePodFields),
  ];
}

/** Returns the health of the runtime for modules. */
export function coreRuntimeHealth(bound: () => LateCoreParts): RuntimeHealth {
  return {
    known: (signal) => bound().runtimeState.known(signal),
    problems() {
      const { pleg, runtimeState } = bound();
      const plegProblem = pleg.problem();
      return runtimeState.problems(plegProblem === undefined ? [] : [`PLEG is not healthy: ${plegProblem}`]);
    },
    handlers: () => bound().runtimeState.handlers(),
    features: () => bound().runtimeState.features(),
  };
}

function coreHealthChecks(bound: () => LateCoreParts): readonly HealthCheck[] {
  return [
    { name: 'ping', check: () => undefined },
    { name: 'syncloop', check: () => bound().loop.problem() },
    { name: 'housekeeping', check: () => bound().loop.housekeepingProblem() },
    { name: 'pleg', check: () => bound().pleg.problem() },
    { name: 'sources', check: () => unavailableSources(bound()) },
  ];
}

/** Returns the problems of pod sources that cannot be read. A problem of a single pod is not one of the agent's health. */
function unavailableSources({ config }: LateCoreParts): string | undefined {
  const unavailable = config.problems().filter(({ reason }) => reason === 'SourceUnavailable');
  return unavailable.length === 0 ? undefined : unavailable.map(({ message }) => message).join('; ');
}

/** Times of day are RFC 3339, all others ages or delays in milliseconds. */
function coreDebugSections(bound: () => LateCoreParts): readonly DebugSection[] {
  return [
    {
      name: 'runtime',
      inspect() {
        const { runtimeState } = bound();
        return { problem: runtimeState.runtimeProblem(), networkProblem: runtimeState.networkProblem() };
      },
    },
    {
      name: 'sources',
      inspect() {
        const { config } = bound();
        return { ready: config.sourcesReady(), pods: config.pods().length, problems: config.problems() };
      },
    },
    {
      name: 'pleg',
      inspect() {
        const { pleg } = bound();
        return {
          problem: pleg.problem(),
          pods: pleg.pods().length,
          unreadablePods: [...pleg.unreadablePods()].map(([uid, { message }]) => ({ uid, error: message })),
          ...pleg.queue(),
        };
      },
    },
    {
      name: 'queues',
      inspect() {
        const pods = bound().workers.inspect();
        const stepAges = pods.flatMap(({ stepAgeMs }) => stepAgeMs ?? []);
        return {
          podSteps: { running: stepAges.length, oldestAgeMs: Math.max(0, ...stepAges) },
          admission: { depth: bound().loop.awaitingAdmission() },
          podsDue: { depth: pods.filter(({ nextStepInMs }) => nextStepInMs !== undefined).length },
        };
      },
    },
    { name: 'pods', inspect: () => bound().workers.inspect() },
  ];
}
