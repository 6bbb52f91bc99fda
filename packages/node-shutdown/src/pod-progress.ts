import type { AgentCore } from '@rxlet/agent-api';
import { type Clock, sleep } from '@rxlet/component-base';
import { podUid } from '@rxlet/pod-model';

/** Longest wait for the pods of the sources after a restart of the agent. */
const SETTLE_MS = 5_000;
const POLL_MS = 100;

/** Reports whether the final status of a pod is where it must be. A pod that is gone has no status. */
export function isReported(core: Pick<AgentCore, 'isStatusPublished' | 'podStatus'>, uid: string): boolean {
  const phase = core.podStatus(uid)?.phase;
  return phase === undefined || ((phase === 'Failed' || phase === 'Succeeded') && core.isStatusPublished(uid));
}

/** Waits until the pods of an earlier run of the agent are known again. */
export async function untilSettled(
  core: Pick<AgentCore, 'activePods' | 'knownPods' | 'mayRunContainers' | 'sourcesReady'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = clock.monotonicNow() + SETTLE_MS;
  const isSettled = (): boolean => {
    if (!core.sourcesReady()) return false;
    const active = new Set(core.activePods().map(podUid));
    return core.knownPods().every((pod) => active.has(podUid(pod)) || !core.mayRunContainers(podUid(pod)));
  };
  while (!isSettled() && clock.monotonicNow() < untilMs) await sleep(clock, POLL_MS, signal);
}
