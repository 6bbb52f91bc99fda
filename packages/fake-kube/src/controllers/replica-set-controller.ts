import type { StoredObject } from '../api-object.ts';
import {
  BURST,
  BURST_PAUSE_MS,
  type Controller,
  type ControllerPorts,
  createPods,
  deletePods,
  writeStatus,
} from './controller.ts';
import { expendableFirst, isActive, isAvailable, readySinceMs } from './pod-facts.ts';
import { type ReplicaSet, workloadTypes } from './workloads.ts';

/** Keeps the number of pods of ReplicaSets. */
export const replicaSetController: Controller = {
  type: workloadTypes.replicaSets,
  reconcile(object, ports) {
    if (object.metadata.deletionTimestamp !== undefined) return undefined;
    const set = object as unknown as ReplicaSet;
    const active = ports.podsOf(object.metadata.uid).filter(isActive);
    const missing = (set.spec.replicas ?? 1) - active.length;
    if (missing > 0) createPods(ports, object, set.spec.template, missing);
    else if (missing < 0) deletePods(ports, expendableFirst(active).slice(0, -missing));
    reportStatus(object, set, ports);
    if (Math.abs(missing) > BURST) return BURST_PAUSE_MS;
    return untilAvailableMs(set, ports);
  },
};

function reportStatus(object: StoredObject, { spec, metadata }: ReplicaSet, ports: ControllerPorts): void {
  const pods = ports.podsOf(metadata.uid).filter(isActive);
  const nowMs = ports.clock.now();
  const ready = pods.filter((pod) => readySinceMs(pod) !== undefined);
  const available = ready.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, nowMs));
  writeStatus(ports, workloadTypes.replicaSets, object, {
    replicas: pods.length,
    fullyLabeledReplicas: pods.length,
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(available.length > 0 && { availableReplicas: available.length }),
    observedGeneration: metadata.generation,
  });
}

/** Returns the time until the next pod has been ready for long enough. */
function untilAvailableMs({ spec, metadata }: ReplicaSet, { podsOf, clock }: ControllerPorts): number | undefined {
  const { minReadySeconds = 0 } = spec;
  if (minReadySeconds === 0) return undefined;
  const nowMs = clock.now();
  const waits = podsOf(metadata.uid).flatMap((pod) => {
    const sinceMs = readySinceMs(pod);
    return sinceMs === undefined || isAvailable(pod, minReadySeconds, nowMs)
      ? []
      : [sinceMs + minReadySeconds * 1000 - nowMs];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
