import type { PodProbes, TerminationMessages } from '@rxlet/agent-api/containers';
import type { PodEvictor, PodFailure, PodStatusContributor } from '@rxlet/agent-api/statuses';
import type { Clock } from '@rxlet/component-base';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { isHostNetworkPod, podUid } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { RuntimeManager } from '@rxlet/runtime-manager';
import {
  generatePodStatus,
  resizeConditions,
  type PodStartLatency,
  type StartErrors,
  type StatusManager,
} from '@rxlet/status-manager';
import type { JournalStatus } from '../journal/journal-status.ts';
import type { RestartRequests } from './restart-requests.ts';
import type { ResizeOutcomes } from './resize-outcomes.ts';

/** Ports of {@link createReportStatus}. */
export interface ReportStatusPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly statusManager: Pick<StatusManager, 'get' | 'previousStatus' | 'setPodStatus'>;
  readonly runtimeManager: Pick<
    RuntimeManager,
    'actuatedResources' | 'isResizeInProgress' | 'hasRecursiveReadOnlyMounts'
  >;
  readonly probes: Pick<PodProbes, 'statusSet' | 'isReady' | 'isStarted'>;
  readonly startLatency: Pick<PodStartLatency, 'statusGenerated'>;
  /** Default: the messages of the runtime. */
  readonly terminationMessages?: TerminationMessages | undefined;
  readonly startErrors: Pick<StartErrors, 'forPod'>;
  readonly restarts: Pick<RestartRequests, 'isRestarting'>;
  readonly journalStatus: Pick<JournalStatus, 'generated'>;
  readonly resizeOutcomes: Pick<ResizeOutcomes, 'errorOf' | 'statusGenerated'>;
  /** Modules that may fail a pod; the first failure counts. */
  readonly evictors: readonly PodEvictor[];
  /** Modules that contribute conditions. */
  readonly contributors: readonly PodStatusContributor[];
  /** Addresses of the node, the primary one first. */
  readonly hostIps: readonly string[];
}

/** Options of {@link ReportStatus}. */
export interface ReportOptions {
  /** Whether all containers have stopped and none restarts. Default false. */
  readonly podIsTerminal?: boolean;
  /** Adds the cause of a termination, such as an eviction. */
  readonly amend?: (generated: PodStatus) => PodStatus;
}

/** Generates the status of a pod from its runtime status and reports it. @returns the status */
export type ReportStatus = (pod: Pod, runtime: RuntimePodStatus, options?: ReportOptions) => Promise<PodStatus>;

/** Creates {@link ReportStatus}. The agent starts now: older containers may come from another agent. */
export function createReportStatus(ports: ReportStatusPorts): ReportStatus {
  const {
    runtimeManager,
    statusManager,
    probes,
    startLatency,
    terminationMessages,
    startErrors,
    resizeOutcomes,
    evictors,
    contributors,
    hostIps,
  } = ports;
  const agentStartMs = ports.clock.now();
  return async (pod, runtime, { podIsTerminal = false, amend = unchanged } = {}) => {
    const uid = podUid(pod);
    const withMessages = (await terminationMessages?.complete(pod, runtime)) ?? runtime;
    const actuated = await runtimeManager.actuatedResources(uid);
    const previous = statusManager.previousStatus(pod);
    const isInProgress = await runtimeManager.isResizeInProgress(pod, runtime);
    const recursiveReadOnlySupported = await runtimeManager.hasRecursiveReadOnlyMounts(pod);
    const generated = withContributions(
      contributors,
      pod,
      amend(
        generatePodStatus({
          pod,
          runtime: withKnownIps(pod, withMessages, previous),
          previous,
          lastStartErrors: startErrors.forPod(uid),
          podIsTerminal,
          isRestartRequested: ports.restarts.isRestarting(uid, runtime),
          recursiveReadOnlySupported,
          actuatedResources: actuated.containers,
          actuatedPodResources: actuated.pod,
          resizeConditions: resizeConditions({
            pod,
            previous,
            isInProgress,
            error: resizeOutcomes.errorOf(uid),
            nowMs: ports.clock.now(),
          }),
          hostIps,
          probes,
          agentStartMs,
          failure: firstFailure(evictors, pod, previous),
        }),
      ),
    );
    resizeOutcomes.statusGenerated(pod, previous, isInProgress);
    startLatency.statusGenerated(pod, statusManager.get(uid), generated);
    statusManager.setPodStatus(pod, generated);
    ports.journalStatus.generated(pod, generated);
    const current = statusManager.get(uid) ?? generated;
    for (const evictor of evictors) evictor.statusSet?.(pod, current);
    probes.statusSet(uid);
    return generated;
  };
}

/** Keeps the addresses of a pod without a ready sandbox. The pleg keeps them while the agent runs, the previous status across its restart. */
function withKnownIps(pod: Pod, runtime: RuntimePodStatus, { podIPs = [] }: PodStatus): RuntimePodStatus {
  if (runtime.ips.length > 0 || isHostNetworkPod(pod)) return runtime;
  if (runtime.sandboxes.some(({ state }) => state === 'ready')) return runtime;
  return { ...runtime, ips: podIPs.map(({ ip }) => ip) };
}

/** Returns how the first evictor fails the pod; `undefined` when none does. */
function firstFailure(evictors: readonly PodEvictor[], pod: Pod, current: PodStatus): PodFailure | undefined {
  for (const evictor of evictors) {
    const failure = evictor.shouldEvict(pod, current);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Adds the contributions of modules, in place of earlier conditions of their types. As in the kubelet, they precede the others: `PodResizePending` is the first. */
function withContributions(contributors: readonly PodStatusContributor[], pod: Pod, generated: PodStatus): PodStatus {
  if (contributors.length === 0) return generated;
  const contributed = new Set(contributors.flatMap(({ conditionTypes }) => conditionTypes));
  const own = (generated.conditions ?? []).filter(({ type }) => !contributed.has(type));
  return {
    ...generated,
    ...withAllocatedResources(contributors, pod, generated),
    conditions: [...contributors.flatMap((one) => one.conditions(pod, generated)), ...own].map((condition) =>
      condition.status === 'False' && !condition.message
        ? withMessage(contributors, pod, generated, condition)
        : condition,
    ),
  };
}

/** Returns a condition with the first message that a contributor has for it. */
function withMessage(
  contributors: readonly PodStatusContributor[],
  pod: Pod,
  generated: PodStatus,
  condition: PodCondition,
): PodCondition {
  for (const contributor of contributors) {
    const message = contributor.conditionMessage?.(pod, generated, condition.type);
    if (message !== undefined) return { ...condition, message };
  }
  return condition;
}

/** Returns the statuses of the main containers with the health of their resources, where a contributor reports it. */
function withAllocatedResources(
  contributors: readonly PodStatusContributor[],
  pod: Pod,
  { containerStatuses }: PodStatus,
): Pick<PodStatus, 'containerStatuses'> {
  if (containerStatuses === undefined) return {};
  return {
    containerStatuses: containerStatuses.map((status) => {
      const health = contributors.flatMap((one) => one.allocatedResources?.(pod, status.name) ?? []);
      return health.length === 0 ? status : { ...status, allocatedResourcesStatus: health };
    }),
  };
}

function unchanged(generated: PodStatus): PodStatus {
  return generated;
}
