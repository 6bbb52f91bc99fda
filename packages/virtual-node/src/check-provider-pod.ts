import type { ProviderContainer, ProviderPod } from './provider-pod.ts';

/** A container whose fields are complete and make sense. */
export interface CheckedContainer {
  readonly name: string;
  readonly id: string;
  readonly restartCount: number;
  readonly state: ProviderContainer['state'];
  readonly image: string | undefined;
  /** 0 for a waiting container. Milliseconds since the epoch, as all times. */
  readonly startedAtMs: number;
  /** 0 unless it has exited. */
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly ready: boolean;
}

/** A pod of a provider whose fields are complete and make sense. */
export interface CheckedPod extends Omit<ProviderPod, 'containers'> {
  readonly ips: readonly string[];
  readonly containers: readonly CheckedContainer[];
}

/** Exit code and reason of a container whose end is unknown, as in the kubelet. */
export const LOST = { exitCode: 137, reason: 'ContainerStatusUnknown' } as const;

/**
 * Completes a report of a provider, and replaces what makes no sense: the API server rejects a whole status for one bad time, and the pod would be stuck. Times come
 * from the report if they are possible, else from the report before, else from the clock. Pure.
 *
 * @param before the last checked report of this pod
 * @returns the pod, and the problems that were repaired
 */
export function checkProviderPod(
  pod: ProviderPod,
  before: CheckedPod | undefined,
  nowMs: number,
): { readonly pod: CheckedPod; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const byName = new Map<string, CheckedContainer>();
  for (const container of pod.containers) {
    const { name } = container;
    if (byName.has(name)) problems.push(`container "${name}" is reported twice; the last report counts`);
    const earlier = before?.containers.find((one) => one.name === name);
    byName.set(name, checkContainer(pod.uid, container, earlier, nowMs, problems));
  }
  const { uid, name, namespace, ips = before?.ips ?? [], failure } = pod;
  const checked = { uid, name, namespace, ips, containers: [...byName.values()], ...(failure && { failure }) };
  return { pod: checked, problems };
}

function checkContainer(
  uid: string,
  container: ProviderContainer,
  before: CheckedContainer | undefined,
  nowMs: number,
  problems: string[],
): CheckedContainer {
  const { name, state, image } = container;
  const restartCount = countRestarts(container, before, problems);
  const isSame = before?.restartCount === restartCount;
  const time = (field: string, given: number | undefined, earlier: number | undefined, leastMs = 0): number => {
    const known = isSame && earlier ? earlier : Math.max(nowMs, leastMs);
    if (given === undefined) return known;
    if (Number.isFinite(given) && given > 0 && given >= leastMs && given <= nowMs + SKEW_MS) return given;
    problems.push(`${field} of container "${name}" is impossible: ${String(given)}`);
    return known;
  };
  const common = { name, restartCount, state, image, id: container.id ?? `${uid}.${name}.${String(restartCount)}` };
  const nothing = { startedAtMs: 0, finishedAtMs: 0, exitCode: 0, reason: '', message: '', ready: false };
  switch (container.state) {
    case 'waiting':
      return { ...nothing, ...common, reason: container.reason ?? '', message: container.message ?? '' };
    case 'running': {
      const startedAtMs = time('the start', container.startedAtMs, before?.startedAtMs);
      return { ...nothing, ...common, startedAtMs, ready: container.ready ?? true };
    }
    case 'exited': {
      const finishedAtMs = time('the end', container.finishedAtMs, before?.finishedAtMs);
      const given = time('the start', container.startedAtMs, before?.startedAtMs);
      const startedAtMs = Math.min(given, finishedAtMs);
      const isCode = isInt32(container.exitCode);
      if (!isCode) problems.push(`the exit code of container "${name}" is impossible: ${String(container.exitCode)}`);
      const exitCode = isCode ? container.exitCode : LOST.exitCode;
      const reason = container.reason ?? (isCode ? (exitCode === 0 ? 'Completed' : 'Error') : LOST.reason);
      return { ...nothing, ...common, startedAtMs, finishedAtMs, exitCode, reason, message: container.message ?? '' };
    }
    default:
      // One report must not end the observation of all pods.
      problems.push(`the state of container "${name}" is unknown: ${String(state)}`);
      return { ...nothing, ...common, state: 'waiting' };
  }
}

/** Integers of the API have 32 bits, and it rejects a whole status for a larger one. */
function isInt32(number: number): boolean {
  return Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 31;
}

/** Time by which the clock of a provider may be ahead. */
const SKEW_MS = 300_000;

/** Returns the restart count, which never decreases. Without one in the report, an instance that has not ended follows one that has. */
function countRestarts(
  { name, restartCount, state }: ProviderContainer,
  before: CheckedContainer | undefined,
  problems: string[],
): number {
  const least = before?.restartCount ?? 0;
  if (restartCount === undefined) return before?.state === 'exited' && state !== 'exited' ? least + 1 : least;
  if (isInt32(restartCount) && restartCount >= least) return restartCount;
  problems.push(`the restart count of container "${name}" is impossible: ${String(restartCount)}`);
  return least;
}
