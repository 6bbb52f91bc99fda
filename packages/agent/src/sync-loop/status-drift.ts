import { type Clock, createDeadlineQueue, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { needsReconcile, type StatusManager } from '@rxlet/status-manager';

/** Ports of {@link createStatusDrift}. */
export interface StatusDriftPorts {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Returns a pod as its API shows it, a static pod as its mirror pod; `undefined` for a pod that is in no API. */
  readonly apiPod: (podUid: string) => Pod | undefined;
  readonly statusManager: Pick<StatusManager, 'get' | 'republish'>;
}

/** Publishes statuses again that another writer changed in the API, or that the API never received. */
export interface StatusDrift extends Disposable {
  /** Checks a pod whose status changed in its API. */
  check(podUid: string): void;
}

/** Time until a difference counts, because the agent's own reports may be in flight. Period of the kubelet's full comparison. */
const SETTLE_MS = 10_000;

/** Creates a {@link StatusDrift}. A status is published again at most once in ten seconds, however often it is overwritten. */
export function createStatusDrift({
  clock,
  logger = noopLogger,
  apiPod,
  statusManager,
}: StatusDriftPorts): StatusDrift {
  const pending = new Set<string>();
  const differs = (uid: string): boolean => {
    const [shown, reported] = [apiPod(uid), statusManager.get(uid)];
    return shown !== undefined && reported !== undefined && needsReconcile(shown, reported);
  };
  const queue = createDeadlineQueue<string>(clock, (uid) => {
    pending.delete(uid);
    try {
      if (differs(uid)) statusManager.republish(uid);
    } catch (error) {
      // An exception in a timer would end the agent.
      logger.error('cannot compare the status of a pod', { podUid: uid, error: errorMessage(error) });
    }
  });
  return {
    check(uid) {
      if (pending.has(uid) || !differs(uid)) return;
      pending.add(uid);
      queue.set(uid, SETTLE_MS);
    },
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };
}
