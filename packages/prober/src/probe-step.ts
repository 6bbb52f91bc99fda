import type { Container, ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { allContainersCouldRestart, isContainerRestartable } from '@rxlet/pod-model';
import type { ProbeKind, ProbeResult, ProbeTarget } from './probe-target.ts';

/** What is remembered of a probe between two of its turns. */
export interface ProbeState {
  /** The container that it is about, as the pod's status names it (`containerd://0123…`); empty before the first. */
  readonly containerId: string;
  /** The result has been drawn, and the probe rests until there is a new container. */
  readonly onHold: boolean;
  readonly lastResult: ProbeResult | undefined;
  /** How often in a row `lastResult` came. */
  readonly resultRun: number;
}

/** The state of a probe that has not had a turn yet. */
export const newProbeState: ProbeState = { containerId: '', onHold: false, lastResult: undefined, resultRun: 0 };

/** A result to be published; `undefined`: there is none any more. */
export interface ResultChange {
  readonly containerId: string;
  readonly result: ProbeResult | undefined;
}

/** What follows from a turn. */
export interface ProbeStep {
  readonly state: ProbeState;
  /** In order. */
  readonly changes: readonly ResultChange[];
  /** Run the probe now, wait for the next turn, or end for good. */
  readonly next: 'probe' | 'wait' | 'stop';
}

/** What a turn is decided by. */
export interface ProbeStepInput {
  /** The pod's status at present; `undefined` when there is none. */
  readonly status: PodStatus | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** When the agent started, epoch milliseconds. */
  readonly agentStartMs: number;
}

const initialResults: Readonly<Record<ProbeKind, ProbeResult>> = {
  liveness: 'success',
  readiness: 'failure',
  startup: 'unknown',
};

/** A container that is older than the agent by more than this was there before the agent was. */
const RESTART_MARGIN_MS = 10_000;

/** Decides what a probe does in its turn. Pure. */
export function probeStep(target: ProbeTarget, state: ProbeState, input: ProbeStepInput): ProbeStep {
  const { kind, pod, container } = target;
  const { status, nowMs, agentStartMs } = input;
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
    // As in the kubelet, a count goes on over a restart that the probe itself did not ask for.
    current = { ...state, containerId, onHold: false };
  }
  const step = (next: ProbeStep['next'], result?: ProbeResult): ProbeStep => {
    if (result !== undefined) changes.push({ containerId, result });
    return { state: current, changes, next };
  };

  if (current.onHold) return step('wait');
  const running = found.state?.running;
  if (running === undefined) {
    const mayRunAgain = found.state?.terminated === undefined || couldRestart(pod, container);
    return step(mayRunAgain ? 'wait' : 'stop', 'failure');
  }
  if (pod.metadata?.deletionTimestamp !== undefined && kind !== 'readiness') {
    // A pod that is shutting down must not look as if it had failed.
    return step('stop', 'success');
  }
  const initialDelayMs = target.timing.initialDelaySeconds * 1000;
  // Without a delay the clock has no say: one that was set back would stop all probes until it has caught up.
  if (initialDelayMs > 0 && nowMs - Date.parse(running.startedAt ?? '') < initialDelayMs) return step('wait');
  // The startup probe comes first, the other two after it.
  return step((found.started === true) === (kind === 'startup') ? 'wait' : 'probe');
}

/** Counts a result of the probe; it is published when it came often enough in a row. Pure. */
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
  // The container is about to be restarted, or has started for good. Commands run in a container that is being stopped could harm it.
  const isFinal = kind === 'startup' || (kind === 'liveness' && result === 'failure');
  return { state: isFinal ? { ...counted, onHold: true, resultRun: 0 } : counted, changes };
}

/**
 * What a probe says of a container before its first result. Nothing about one that was there before the agent: what was reported of it goes on.
 * Without a word about its startup a sidecar would keep the containers after it from being looked at, so one that has started has passed.
 */
function initialResult(target: ProbeTarget, status: ContainerStatus, agentStartMs: number): ProbeResult | undefined {
  const { kind, containerKind } = target;
  if (kind === 'startup' && status.started === true) return containerKind === 'init' ? 'success' : undefined;
  // However young it is: it was reported as ready by the agent before this one.
  if (kind === 'readiness' && status.ready) return undefined;
  const startedAt = status.state?.running?.startedAt;
  const isOlder = startedAt !== undefined && Date.parse(startedAt) < agentStartMs - RESTART_MARGIN_MS;
  return isOlder ? undefined : initialResults[kind];
}

/** The status of a container that exists, be it a regular one or an init container. */
export function findContainerStatus(status: PodStatus, name: string): ContainerStatus | undefined {
  for (const list of [status.containerStatuses, status.initContainerStatuses]) {
    const found = list?.find((container) => container.name === name);
    if (found?.containerID !== undefined && found.containerID !== '') return found;
  }
  return undefined;
}

function couldRestart(pod: Pod, container: Container): boolean {
  return isContainerRestartable(container, pod) || allContainersCouldRestart(pod);
}
