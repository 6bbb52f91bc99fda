import { errorMessage } from '@rxlet/component-base';
import type { VirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';

/** Moves the clock until a pod has a phase. Rejects after the limit with the pod's last status. */
export async function untilPhase(
  clock: VirtualClock,
  find: () => Pod | undefined,
  { podName, phase, limitMs }: { readonly podName: string; readonly phase: string; readonly limitMs: number },
): Promise<void> {
  try {
    await clock.runUntil(() => find()?.status?.phase === phase, limitMs);
  } catch (cause) {
    throw new Error(`pod ${podName} is not ${phase}: ${describe(find())}; ${errorMessage(cause)}`, { cause });
  }
}

function describe(pod: Pod | undefined): string {
  if (pod === undefined) return 'there is no such pod';
  const { phase = 'no phase', reason, message, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const waiting = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) =>
    state?.waiting === undefined ? [] : `${name}: ${state.waiting.reason ?? 'waiting'}`,
  );
  return [phase, reason, message, ...waiting].filter((part) => part !== undefined && part !== '').join(', ');
}
