import type { Pod } from '@rxlet/kube-api';
import { isCriticalPod, podQosClass } from '@rxlet/pod-model';
import { toleratesTaint } from '@rxlet/pod-model/scheduling';
import { EVICTED } from './evictions.ts';
import type { PressureCondition } from './signals.ts';

const MEMORY_PRESSURE_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

/** Why a node under pressure rejects a pod. */
export interface PressureRejection {
  readonly reason: typeof EVICTED;
  readonly message: string;
}

/**
 * Returns why a node with the given conditions rejects a pod; `undefined` when it admits it. Critical pods are always admitted. Memory pressure alone rejects
 * best-effort pods that do not tolerate it, any other condition rejects all pods.
 */
export function admitUnderPressure(pod: Pod, conditions: readonly PressureCondition[]): PressureRejection | undefined {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  if (conditions.length === 1 && conditions[0] === 'MemoryPressure') {
    if (podQosClass(pod) !== 'BestEffort') return undefined;
    if (pod.spec?.tolerations?.some((toleration) => toleratesTaint(toleration, MEMORY_PRESSURE_TAINT)) === true)
      return undefined;
  }
  return { reason: EVICTED, message: `The node had condition: [${conditions.join(' ')}]. ` };
}
