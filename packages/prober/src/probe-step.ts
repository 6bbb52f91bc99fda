import type { ProbeResult } from '@rxlet/agent-api/containers';
import type { Container, ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { allContainersCouldRestart, isContainerRestartable } from '@rxlet/pod-model/restart';
import type { ProbeKind, ProbeTarget } from './probe-target.ts';

/** State of a probe between two ticks. */
export interface ProbeState {
  /** Probed container in the form of the pod's status (`containerd://0123…`); empty before the first. */
  readonly containerId: string;
  /** First tick with this container, on the monotonic clock. */
  readonly seenMs: number;
  /** Whether the result is final, so that the probe rests until there is a new container. */
  readonly onHold: boolean;
  readonly lastResult: ProbeResult | undefined;
  /** Number of consecutive results equal to `lastResult`. */
  readonly resultRun: number;
}

/** State of a probe before its first tick. */
export const newProbeState: ProbeState = {
  containerId: '',
  seenMs: 0,
  onHold: false,
  lastResult: undefined,
  resultRun: 0,
};

/** A result to publish. `undefined` removes the published result. */
export interface ResultChange {
  readonly containerId: string;
  readonly result: ProbeResult | undefined;
}

/** Outcome of a tick. */
export interface ProbeStep {
  readonly state: ProbeState;
  /** Changes in order. */
  readonly changes: readonly ResultChange[];
  /** Runs the probe now, waits for the next tick, or ends the probe. */
  readonly next: 'probe' | 'wait' | 'stop';
}

/** Input of a tick. */
export interface ProbeStepInput {
  /** Current status of the pod; `undefined` when there is none. */
  readonly status: PodStatus | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Milliseconds on the monotonic clock. */
  readonly monotonicMs: number;
  /** Start time of the agent, epoch milliseconds. */
  readonly agentStartMs: number;
}

const initialResults: Readonly<Record<ProbeKind, ProbeResult>> = {
  liveness: 'success',
  readiness: 'failure',
  startup: 'unknown',
};

/** Age beyond which a container must have been started before the agent. */
const RESTART_MARGIN_MS = 10_000;

/** Decides the action of a probe in a tick. Pure. */
export function probeStep(target: ProbeTarget, state: ProbeState, input: ProbeStepInput): ProbeStep {
  const { kind, pod, container } = target;
  const { status, nowMs, monotonicMs, agentStartMs } = input;
  if (status === undefined) return { state, changes: [], next: 'wait' };
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return { state, changes: [], next: 'stop' };
  const found = findContainerStatus(status, container.name);
  if (found?.containerID === undefined) return { state, changes: [], next: 'wait' };

  const { containerID: containerId } = found;
  const changes: ResultChange[] = [];
  let current = state;
  if (containerId !== state.containerId) {
    if (state.containerId !== '') changes.push({ containerId: state.containerId, result: undefined });
    const result = initialResult(target, found, agentStartMs);
    if (result !== undefined) changes.push({ containerId, result });
    // As in the kubelet, the count continues after a restart that the probe did not cause.
    current = { ...state, containerId, seenMs: monotonicMs, onHold: false };
  }
  const step = (next: ProbeStep['next'], result?: ProbeResult): ProbeStep => {
    if (result !== undefined) changes.push({ containerId, result });
    return { state: current, changes, next };
  };

  if (current.onHold) return step('wait');
  const running = found.state?.running;
  if (running === undefined) {
    const hasEnded = found.state?.terminated !== undefined;
    // A container whose start has failed may be started once more, and a failure would end it at once.
    if (!hasEnded && kind !== 'readiness') return step('wait');
    return step(!hasEnded || couldRestart(pod, container) ? 'wait' : 'stop', 'failure');
  }
  if (pod.metadata?.deletionTimestamp !== undefined && kind !== 'readiness') {
    // A terminating pod must not count as failed.
    return step('stop', 'success');
  }
  const initialDelayMs = target.timing.initialDelaySeconds * 1000;
  const isDelayed = nowMs - Date.parse(running.startedAt ?? '') < initialDelayMs;
  // The wall clock may have been set back behind the start of the container.
  if (isDelayed && monotonicMs - current.seenMs < initialDelayMs) return step('wait');
  // The startup probe runs before the container has started, the other two after.
  return step((found.started === true) === (kind === 'startup') ? 'wait' : 'probe');
}

/** Counts a result of the probe and publishes it once its threshold is reached. Pure. */
export function countResult(
  { kind, timing }: Pick<ProbeTarget, 'kind' | 'timing'>,
  state: ProbeState,
  result: 'success' | 'failure',
): { readonly state: ProbeState; readonly changes: readonly ResultChange[] } {
  const resultRun = result === state.lastResult ? state.resultRun + 1 : 1;
  const counted = { ...state, lastResult: result, resultRun };
  const threshold = result === 'success' ? timing.successThreshold : timing.failureThreshold;
  if (resultRun < threshold) return { state: counted, changes: [] };
  const changes = [{ containerId: state.containerId, result }];
  // The container will be restarted, or has started for good. Commands in a container that is being stopped could harm it.
  const isFinal = kind === 'startup' || (kind === 'liveness' && result === 'failure');
  return { state: isFinal ? { ...counted, onHold: true, resultRun: 0 } : counted, changes };
}

/**
 * Returns the result of a probe before its first run. It is `undefined` for a container that is older than the agent: its reported state stays. A started sidecar
 * has passed its startup probe, because the containers after it wait for that.
 */
function initialResult(target: ProbeTarget, status: ContainerStatus, agentStartMs: number): ProbeResult | undefined {
  const { kind, containerKind } = target;
  if (kind === 'startup' && status.started === true) return containerKind === 'init' ? 'success' : undefined;
  // The previous agent reported the container as ready, regardless of its age.
  if (kind === 'readiness' && status.ready) return undefined;
  return isOlderThanAgent(status, agentStartMs) ? undefined : initialResults[kind];
}

/** Reports whether a running container was started before the agent, with a margin for the skew of clocks. */
export function isOlderThanAgent({ state }: ContainerStatus, agentStartMs: number): boolean {
  const startedAt = state?.running?.startedAt;
  return startedAt !== undefined && Date.parse(startedAt) < agentStartMs - RESTART_MARGIN_MS;
}

/** Returns the status of a regular or init container that exists in the runtime. */
export function findContainerStatus(status: PodStatus, name: string): ContainerStatus | undefined {
  for (const list of [status.containerStatuses, status.initContainerStatuses]) {
    const found = list === undefined ? undefined : byName(list).get(name);
    if (found?.containerID !== undefined && found.containerID !== '') return found;
  }
  return undefined;
}

/** Statuses by name. Each tick of a probe looks its container up, and a pod may have thousands. */
const indexes = new WeakMap<readonly ContainerStatus[], ReadonlyMap<string, ContainerStatus>>();

function byName(list: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const index = new Map(list.map((status) => [status.name, status]));
  indexes.set(list, index);
  return index;
}

function couldRestart(pod: Pod, container: Container): boolean {
  return isContainerRestartable(container, pod) || allContainersCouldRestart(pod);
}
