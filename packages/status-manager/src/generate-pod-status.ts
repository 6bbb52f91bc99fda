import type { Pod, PodCondition, PodPhase, PodStatus } from '@rxlet/kube-api';
import {
  activeContainerStatuses,
  isHostNetworkPod,
  isTerminalPhase,
  podQosClass,
  type RuntimePodStatus,
  shouldAllContainersRestart,
} from '@rxlet/pod-model';
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
import { hostNetworkPodIps, sortPodIps } from './pod-ips.ts';
import { podPhase } from './pod-phase.ts';
import { type PodCgroupValues, podLevelResources } from './pod-level-resources.ts';
import { noProbeResults, type ProbeResults, withInitProbeResults, withProbeResults } from './probe-results.ts';
import type { StartError } from './start-errors.ts';

/** What a pod's status is generated from. */
export interface GeneratePodStatusInput {
  /** The pod with the resources allocated to it; its `status` is what the API (or the pod's source) last had. */
  readonly pod: Pod;
  /** What the runtime holds of the pod. */
  readonly runtime: RuntimePodStatus;
  /** The status generated last, as the status manager holds it. Default: that of the pod. */
  readonly previous?: PodStatus | undefined;
  /** Last errors of starting containers, by container name; see `StartErrors.forPod`. */
  readonly lastStartErrors?: ReadonlyMap<string, StartError> | undefined;
  /** Whether all containers are stopped for good. */
  readonly podIsTerminal?: boolean | undefined;
  /** Addresses of the node, primary first, at most one of each family. Without any, host IPs are left out. */
  readonly hostIps?: readonly string[] | undefined;
  /** Default: no results, so that a running container without probes is started and ready. */
  readonly probes?: ProbeResults | undefined;
  /** Set when the agent itself ends the pod: evicted, past its deadline, or caught in a node shutdown. */
  readonly failure?: PodFailure | undefined;
  /** Conditions about a resize in place that is under way (KEP-1287). */
  readonly resizeConditions?: readonly PodCondition[] | undefined;
  /** Whether the pod's runtime handler supports recursive read-only mounts (KEP-3857). Default: false. */
  readonly recursiveReadOnlySupported?: boolean | undefined;
  /** Whether the signals that stop containers are shown (KEP-4960, feature gate `ContainerStopSignals`). Default: false. */
  readonly stopSignals?: boolean | undefined;
  /** What the pod's cgroup applies, once the pod runs. Without it, the pod's resources are shown as allocated. */
  readonly podCgroup?: PodCgroupValues | undefined;
}

/** How the agent ends a pod. */
export interface PodFailure {
  /** The pod's reason: `Evicted`, `DeadlineExceeded`, `Terminated`, `Preempting` … */
  readonly reason: string;
  readonly message: string;
  /** Set when the pod is disrupted for the good of others (KEP-3329): the message of its condition `DisruptionTarget`. */
  readonly disruption?: string | undefined;
}

const noStartErrors: ReadonlyMap<string, StartError> = new Map();

/**
 * Generates the status that the API shows of a pod, as kubelet 1.36 does. It is a pure function, and its result still lacks what only the history
 * tells: start time, transition times and observed generation are set by the status manager that takes it.
 */
export function generatePodStatus(input: GeneratePodStatusInput): PodStatus {
  const { pod, runtime, hostIps = [], probes = noProbeResults } = input;
  const previous = input.previous ?? pod.status ?? {};
  const restartingAll = shouldAllContainersRestart(pod, runtime, previous);

  const containersInput: ContainerStatusesInput = {
    pod,
    runtime,
    lastStartErrors: input.lastStartErrors ?? noStartErrors,
    restartingAll,
    recursiveReadOnlySupported: input.recursiveReadOnlySupported ?? false,
    stopSignals: input.stopSignals ?? false,
  };
  const init = containerStatuses('init', previous.initContainerStatuses, containersInput);
  const regular = containerStatuses('regular', previous.containerStatuses, containersInput);
  const ephemeral = containerStatuses('ephemeral', previous.ephemeralContainerStatuses, containersInput);

  // The phase goes by what was started before this status; probes speak after it.
  const computedPhase = podPhase({
    pod,
    statuses: [...init, ...regular],
    podIsTerminal: input.podIsTerminal ?? false,
    hasActiveRegularContainer: hasActiveRegularContainer(pod, runtime),
  });
  const outcome = podOutcome(pod, previous, computedPhase, input.failure);

  const initStatuses = withInitProbeResults(pod, init, previous.initContainerStatuses, probes);
  const regularStatuses = withProbeResults(pod, regular, previous.containerStatuses, probes);
  const forConditions = { pod, statuses: [...initStatuses, ...regularStatuses], phase: outcome.phase };
  const before = [
    ...foreignConditions(input, previous),
    podReadyToStartContainersCondition(pod, runtime),
    initializedCondition(forConditions, previous),
  ];
  const restarting = allContainersRestartingCondition(pod, runtime, outcome.phase, restartingAll);

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
    ...podLevelResources(pod, previous, input.podCgroup),
  };
}

function hasActiveRegularContainer(pod: Pod, runtime: RuntimePodStatus): boolean {
  const names = new Set(pod.spec?.containers?.map(({ name }) => name));
  return activeContainerStatuses(runtime).some(({ name }) => names.has(name));
}

/**
 * Phase, and the reason and message that go with it. No pod comes out of a terminal phase, neither that which the API shows nor that which was
 * generated before, even if containers turn up later or their ends get lost.
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

/** The conditions that others own, as the API has them, those of a resize, and why the pod is being disrupted. */
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
    ...(hostIp !== undefined && { hostIP: hostIp, hostIPs: hostIps.slice(0, 2).map((ip) => ({ ip })) }),
    ...(podIp !== undefined && { podIP: podIp, podIPs: podIps.map((ip) => ({ ip })) }),
  };
}
