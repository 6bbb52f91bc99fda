import type { PodProbes } from '@rxlet/agent-api/containers';
import type { PodFailure } from '@rxlet/agent-api/statuses';
import type { Pod, PodCondition, PodPhase, PodStatus, ResourceRequirements } from '@rxlet/kube-api';
import {
  hostNetworkPodIps,
  isHostNetworkPod,
  isTerminalPhase,
  podContainers,
  podQosClass,
  sortPodIps,
} from '@rxlet/pod-model';
import { shouldAllContainersRestart } from '@rxlet/pod-model/restart';
import { activeContainerStatuses, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { findCondition, isOwnedCondition, withCondition } from './condition-types.ts';
import { containerStatuses, type ContainerStatusesInput } from './container-statuses.ts';
import {
  allContainersRestartingCondition,
  condition,
  containersReadyCondition,
  initializedCondition,
  podReadyToStartContainersCondition,
  podScheduledCondition,
  readyCondition,
} from './pod-conditions.ts';
import { podPhase } from './pod-phase.ts';
import { type PodCgroupValues, podLevelResources } from './pod-level-resources.ts';
import { withInitProbeResults, withProbeResults } from './probe-results.ts';
import type { StartError } from './start-errors.ts';

/** Input of {@link generatePodStatus}. */
export interface GeneratePodStatusInput {
  /** Whether containers restart in place on request. Missing ones count as removed for that. Default: false. */
  readonly isRestartRequested?: boolean | undefined;
  /** Pod with its allocated resources. Its `status` is the last one from the API or from its source. */
  readonly pod: Pod;
  /** The pod's runtime status. */
  readonly runtime: RuntimePodStatus;
  /** Last generated status, from the status manager. Default: the status of the pod. */
  readonly previous?: PodStatus | undefined;
  /** Last errors of starting containers, by container name; see `StartErrors.forPod`. */
  readonly lastStartErrors?: ReadonlyMap<string, StartError> | undefined;
  /** Whether all containers are stopped and will not be restarted. */
  readonly podIsTerminal?: boolean | undefined;
  /** Addresses of the node, primary first, at most one of each family. Without any, host IPs are left out. */
  readonly hostIps?: readonly string[] | undefined;
  /** Probe results. Default: none, so that a running container without probes is started and ready. */
  readonly probes?: Pick<PodProbes, 'isReady' | 'isStarted'> | undefined;
  /**
   * Start of the agent, epoch milliseconds. A container that ran before under another agent, such as a kubelet, of which the previous status knows nothing, counts as
   * started once it has run for longer than its startup probe may fail. Default: none ran before.
   */
  readonly agentStartMs?: number | undefined;
  /** Failure of a pod that the agent terminates: evicted, past its deadline, or in a node shutdown. */
  readonly failure?: PodFailure | undefined;
  /** Conditions of an in-place resize (KEP-1287), see `resizeConditions`. */
  readonly resizeConditions?: readonly PodCondition[] | undefined;
  /** Whether the pod's runtime handler supports recursive read-only mounts (KEP-3857). Default: false. */
  readonly recursiveReadOnlySupported?: boolean | undefined;
  /** Whether stop signals are reported (KEP-4960, feature gate `ContainerStopSignals`). Default: false. */
  readonly stopSignals?: boolean | undefined;
  /** Resources last put into effect, by container name, for values that the runtime does not report. Default: none, so that the previous status applies. */
  readonly actuatedResources?: ReadonlyMap<string, ResourceRequirements> | undefined;
  /** Pod-level resources last put into effect. Default: the allocated ones. */
  readonly actuatedPodResources?: ResourceRequirements | undefined;
  /** Values of the pod's cgroup while the pod runs. Default: `actuatedPodResources`. */
  readonly podCgroup?: PodCgroupValues | undefined;
}

const noStartErrors: ReadonlyMap<string, StartError> = new Map();
const noProbes = { isReady: () => undefined, isStarted: () => undefined };
const noActuatedResources: ReadonlyMap<string, ResourceRequirements> = new Map();

/**
 * Returns the status that kubelet 1.36 would report for a pod. Pure. The status manager adds start time, transition times and observed generation, which depend on
 * the pod's history.
 *
 * @example
 * ```ts
 * import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
 * import { generatePodStatus } from '@rxlet/status-manager';
 *
 * const pod = { metadata: { name: 'web', uid: '1' }, spec: { containers: [{ name: 'main' }] } };
 * const { phase } = generatePodStatus({ pod, runtime: emptyRuntimePodStatus('1') });
 * ```
 */
export function generatePodStatus(input: GeneratePodStatusInput): PodStatus {
  const { pod, runtime, hostIps = [], probes = noProbes } = input;
  const previous = input.previous ?? pod.status ?? {};
  const isRestartOfAllDemanded = shouldAllContainersRestart(pod, runtime, previous);

  const containersInput: ContainerStatusesInput = {
    pod,
    runtime,
    lastStartErrors: input.lastStartErrors ?? noStartErrors,
    restartingAll: isRestartOfAllDemanded || input.isRestartRequested === true,
    actuatedResources: input.actuatedResources ?? noActuatedResources,
    recursiveReadOnlySupported: input.recursiveReadOnlySupported ?? false,
    stopSignals: input.stopSignals ?? false,
  };
  const init = containerStatuses('init', previous.initContainerStatuses, containersInput);
  const regular = containerStatuses('regular', previous.containerStatuses, containersInput);
  const ephemeral = containerStatuses('ephemeral', previous.ephemeralContainerStatuses, containersInput);

  // The phase follows from the `started` values before this status; probe results are applied after it.
  const computedPhase = podPhase({
    pod,
    statuses: [...init, ...regular],
    podIsTerminal: input.podIsTerminal ?? false,
    hasActiveRegularContainer: hasActiveRegularContainer(pod, runtime),
  });
  const outcome = podOutcome(pod, previous, computedPhase, input.failure);

  const { agentStartMs } = input;
  const reportedInit = { statuses: previous.initContainerStatuses, agentStartMs };
  const reported = { statuses: previous.containerStatuses, agentStartMs };
  const initStatuses = withInitProbeResults(pod, init, reportedInit, probes);
  const regularStatuses = withProbeResults(pod, regular, reported, probes);
  const forConditions = { pod, statuses: [...initStatuses, ...regularStatuses], phase: outcome.phase };
  const before = [
    ...foreignConditions(input, previous),
    podReadyToStartContainersCondition(pod, runtime),
    initializedCondition(forConditions, previous),
  ];
  // A request may concern one container, and the condition removes all of them.
  const restarting = allContainersRestartingCondition(pod, runtime, outcome.phase, isRestartOfAllDemanded);

  return {
    ...outcome,
    conditions: [
      ...before,
      readyCondition(forConditions, before),
      containersReadyCondition(forConditions),
      podScheduledCondition(pod),
      ...(restarting === undefined ? [] : [restarting]),
    ],
    ...addresses(pod, runtime, hostIps),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    ...(regularStatuses.length > 0 && { containerStatuses: regularStatuses }),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
    qosClass: podQosClass(pod),
    ...podLevelResources(pod, previous, input.podCgroup, input.actuatedPodResources),
  };
}

function hasActiveRegularContainer(pod: Pod, runtime: RuntimePodStatus): boolean {
  const names = new Set(podContainers(pod, ['regular']).map(({ container }) => container.name));
  return activeContainerStatuses(runtime).some(({ name }) => names.has(name));
}

/**
 * Returns the phase with its reason and message. A terminal phase in the API or in the previous status stays, even if containers appear later or their exits get
 * lost.
 */
function podOutcome(
  pod: Pod,
  previous: PodStatus,
  computed: PodPhase,
  failure: PodFailure | undefined,
): { phase: PodPhase; reason?: string; message?: string } {
  const ended = [pod.status?.phase, previous.phase].find(isTerminalPhase);
  const phase = ended ?? (failure === undefined ? computed : 'Failed');
  let reason: string | undefined;
  let message: string | undefined;
  if (failure !== undefined && phase === 'Failed') {
    ({ reason, message } = failure);
  } else if (phase === previous.phase) {
    reason = previous.reason || pod.status?.reason;
    message = previous.message || pod.status?.message;
  }
  return { phase, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
}

/** Returns the conditions of other writers as the API has them, those of a resize, and the reason of a disruption. */
function foreignConditions(
  { pod, resizeConditions = [], podIsTerminal = false, failure }: GeneratePodStatusInput,
  previous: PodStatus,
): readonly PodCondition[] {
  const conditions = [
    ...(pod.status?.conditions ?? []).filter(({ type }) => !isOwnedCondition(type)),
    ...(podIsTerminal ? [] : resizeConditions),
  ];
  const disruption =
    failure?.disruption === undefined
      ? findCondition(previous.conditions, 'DisruptionTarget')
      : condition(pod, 'DisruptionTarget', true, 'TerminationByKubelet', failure.disruption);
  return disruption === undefined ? conditions : withCondition(conditions, disruption);
}

function addresses(
  pod: Pod,
  runtime: RuntimePodStatus,
  hostIps: readonly string[],
): Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'> {
  const [hostIp] = hostIps;
  const own = sortPodIps(runtime.ips, hostIp);
  const podIps = isHostNetworkPod(pod) ? hostNetworkPodIps(own, hostIps) : own;
  const [podIp] = podIps;
  return {
    ...(hostIp !== undefined && { hostIP: hostIp, hostIPs: hostIps.map((ip) => ({ ip })) }),
    ...(podIp !== undefined && { podIP: podIp, podIPs: podIps.map((ip) => ({ ip })) }),
  };
}
