import type { Journal, SpanStart } from '@rxlet/agent-api/journal';
import type { ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';

/** Kinds of waits that only a status shows. */
type StatusWait = SpanStart & {
  readonly kind:
    | 'container.init'
    | 'container.startup'
    | 'container.readiness'
    | 'pod.readiness-gate'
    | 'pod.restart-all'
    | 'resize.deferred';
};

/** Reports the waits that a status shows: init containers that run, containers that are not started or not ready, readiness gates, pending resizes. */
export interface JournalStatus {
  /** Compares a generated status with the reported waits. */
  generated(pod: Pod, status: PodStatus): void;
  forget(podUid: string): void;
}

/** Creates {@link JournalStatus}. Bounded by the pods that wait. */
export function createJournalStatus(journal: Journal): JournalStatus {
  /** Reported waits of each pod, by their keys. */
  const reported = new Map<string, ReadonlyMap<string, StatusWait>>();
  return {
    generated(pod, status) {
      if (!journal.isRecording) return;
      const uid = pod.metadata?.uid ?? '';
      const found = statusWaits(pod, status);
      if (found.length === 0 && !reported.has(uid)) return;
      const waits = new Map(found.map((wait) => [keyOf(wait), wait]));
      for (const wait of waits.values()) journal.hold(pod.metadata, wait);
      for (const [key, wait] of reported.get(uid) ?? []) if (!waits.has(key)) journal.release(pod.metadata, wait);
      if (waits.size > 0) reported.set(uid, waits);
      else reported.delete(uid);
    },
    forget: (uid) => void reported.delete(uid),
  };
}

function keyOf({ kind, container = '', subject = '' }: StatusWait): string {
  return `${kind} ${container} ${subject}`;
}

/** Returns the waits that a status shows. A terminating pod waits for nothing but its end. */
export function statusWaits(pod: Pod, status: PodStatus): readonly StatusWait[] {
  if (pod.metadata?.deletionTimestamp !== undefined) return [];
  const { phase, conditions = [], containerStatuses = [], initContainerStatuses = [] } = status;
  if (phase === 'Succeeded' || phase === 'Failed') return [];
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const init = initContainerStatuses.filter(({ name }) => !sidecars.has(name));
  const lasting = [...initContainerStatuses.filter(({ name }) => sidecars.has(name)), ...containerStatuses];
  const conditionIs = (type: string, value: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === value);
  const resize = conditions.find(({ type, status: value }) => type === 'PodResizePending' && value === 'True');
  return [
    ...init.filter(isRunning).map(({ name }): StatusWait => ({ kind: 'container.init', container: name })),
    ...lasting.filter(isRunning).flatMap(({ name, started, ready }): readonly StatusWait[] => {
      if (started !== true) return [{ kind: 'container.startup', container: name }];
      return ready ? [] : [{ kind: 'container.readiness', container: name }];
    }),
    ...(pod.spec?.readinessGates ?? [])
      .filter(({ conditionType }) => !conditionIs(conditionType, 'True'))
      .map(({ conditionType }): StatusWait => ({ kind: 'pod.readiness-gate', subject: conditionType })),
    ...(conditionIs('AllContainersRestarting', 'True') ? [{ kind: 'pod.restart-all' } as const] : []),
    ...(resize === undefined
      ? []
      : [
          {
            kind: 'resize.deferred',
            attributes: { reason: resize.reason ?? '', message: resize.message ?? '' },
          } as const,
        ]),
  ];
}

function isRunning({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
}
