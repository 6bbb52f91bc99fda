import type { ContainerStateTerminated, ContainerStatus, Pod } from '@rxlet/kube-api';
import { formatSince } from './age.ts';
import { isSidecar } from './containers.ts';
import { isTerminalPhase } from './pod-kind.ts';

/**
 * Returns the word for a pod's state, as kubectl's STATUS: the reason of the first init container that holds the pod up, else that of the first
 * container that waits or has ended, else the pod's own reason, else its phase.
 */
export function podStatusWord(pod: Pod): string {
  const { status, metadata } = pod;
  if (metadata?.deletionTimestamp !== undefined && !isTerminalPhase(status?.phase)) return 'Terminating';
  const isGated = status?.conditions?.some(({ reason }) => reason === 'SchedulingGated') === true;
  const { word, isInitializing } = initialization(pod);
  const held = word ?? (isGated ? 'SchedulingGated' : status?.reason || (status?.phase ?? 'Pending'));
  return isInitializing ? held : containersWord(pod, held);
}

/** How far a pod's init containers are. */
interface Initialization {
  /** Word for the first init container that is not done; `undefined` when all are. */
  readonly word: string | undefined;
  /** The init containers up to that one. */
  readonly seen: readonly ContainerStatus[];
  /** Whether it holds the pod up. A sidecar that restarts in a pod that is initialized does not. */
  readonly isInitializing: boolean;
}

function initialization(pod: Pod): Initialization {
  const { spec, status } = pod;
  const all = status?.initContainerStatuses ?? [];
  const index = all.findIndex(
    ({ name, state, started }) =>
      state?.terminated?.exitCode !== 0 && !(started === true && isSidecarNamed(spec, name)),
  );
  const current = all[index];
  if (current === undefined) return { word: undefined, seen: all, isInitializing: false };
  return {
    word: `Init:${initReason(current) ?? `${String(index)}/${String(spec?.initContainers?.length ?? 0)}`}`,
    seen: all.slice(0, index + 1),
    isInitializing: !hasTrueCondition(pod, 'Initialized'),
  };
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return terminatedWord(state.terminated);
  const reason = state?.waiting?.reason;
  return reason === 'PodInitializing' ? undefined : reason || undefined;
}

/** Returns the word for the first container that waits or has terminated, else `held`. */
function containersWord({ status }: Pod, held: string): string {
  const statuses = status?.containerStatuses ?? [];
  const word =
    statuses
      .map(({ state }) => state?.waiting?.reason || (state?.terminated && terminatedWord(state.terminated)))
      .find((found) => found !== undefined) ?? held;
  // A completed container matters only when no other one runs.
  if (word !== 'Completed' || !statuses.some(isReady)) return word;
  return hasTrueCondition({ status }, 'Ready') ? 'Running' : 'NotReady';
}

function terminatedWord({ reason, signal, exitCode }: ContainerStateTerminated): string {
  return reason || (signal ? `Signal:${String(signal)}` : `ExitCode:${String(exitCode)}`);
}

/** Returns the ready containers of a pod and all of them, as kubectl's READY: `1/2`. */
export function podReadiness(pod: Pod): string {
  const { spec, status } = pod;
  const { seen, isInitializing } = initialization(pod);
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar);
  const ready = [
    ...seen.filter(({ name, ready, started }) => ready && started === true && isSidecarNamed(spec, name)),
    ...(isInitializing ? [] : (status?.containerStatuses ?? []).filter(isReady)),
  ];
  return `${String(ready.length)}/${String((spec?.containers.length ?? 0) + sidecars.length)}`;
}

/** Restarts of a pod. */
export interface PodRestarts {
  readonly count: number;
  /** When the container ended whose restart was the last one; absent when it is not known. */
  readonly lastRestart: string | undefined;
}

/** Returns the restarts that kubectl counts: while the pod initializes, those of its init containers; afterwards those of sidecars and containers. */
export function podRestartCount(pod: Pod): PodRestarts {
  const { seen, isInitializing } = initialization(pod);
  const counted = isInitializing
    ? seen
    : [...seen.filter(({ name }) => isSidecarNamed(pod.spec, name)), ...(pod.status?.containerStatuses ?? [])];
  const lastRestart = counted
    .map(({ lastState }) => lastState?.terminated?.finishedAt)
    .filter((time) => time !== undefined)
    .sort((left, right) => Date.parse(left) - Date.parse(right))
    .at(-1);
  return { count: counted.reduce((sum, { restartCount }) => sum + restartCount, 0), lastRestart };
}

/** Returns the restarts of a pod and the time since the last, as kubectl's RESTARTS. */
export function podRestarts(pod: Pod, nowMs: number): string {
  const { count, lastRestart } = podRestartCount(pod);
  return count === 0 || lastRestart === undefined
    ? String(count)
    : `${String(count)} (${formatSince(lastRestart, nowMs)} ago)`;
}

function isReady({ ready, state }: ContainerStatus): boolean {
  return ready && state?.running !== undefined;
}

function isSidecarNamed(spec: Pod['spec'], name: string): boolean {
  return spec?.initContainers?.some((container) => container.name === name && isSidecar(container)) === true;
}

function hasTrueCondition({ status }: Pod, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
