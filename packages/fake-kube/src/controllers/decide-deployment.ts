import type { Deployment, ReplicaSet } from './workloads.ts';

/** Numbers of replicas that a Deployment gives its ReplicaSets, by their names. Those that are not named stay as they are. */
export type ReplicaDecision = ReadonlyMap<string, number>;

/** Bounds of a rolling update in pods. */
export interface UpdateBounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Returns the bounds of a rolling update; shares are rounded up for the surge, and down for what may be unavailable. */
export function updateBounds({ spec }: Deployment): UpdateBounds {
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec.strategy?.rollingUpdate ?? {};
  const replicas = spec.replicas ?? 1;
  const surge = podsOf(maxSurge, replicas, Math.ceil);
  const unavailable = podsOf(maxUnavailable, replicas, Math.floor);
  // With neither, nothing could move.
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function podsOf(value: number | string, replicas: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number.parseInt(value, 10) * replicas) / 100) : Number.parseInt(value, 10);
}

/**
 * Decides the next step of a Deployment's update. The new ReplicaSet grows as far as the surge permits, and the old ones shrink as far as enough pods stay available, those
 * pods first that are not available anyway.
 *
 * @param current the ReplicaSet of the Deployment's template
 * @param old the others
 */
export function decideReplicas(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): ReplicaDecision {
  const replicas = deployment.spec.replicas ?? 1;
  const all = [current, ...old];
  const decision = new Map<string, number>();
  const wanted = (set: ReplicaSet): number => decision.get(set.metadata.name) ?? set.spec.replicas ?? 0;
  const total = (): number => all.reduce((sum, set) => sum + wanted(set), 0);
  const scale = (set: ReplicaSet, count: number): void => {
    if (count !== wanted(set)) decision.set(set.metadata.name, count);
  };
  if (deployment.spec.strategy?.type === 'Recreate') {
    for (const set of old) scale(set, 0);
    if (old.every((set) => (set.status?.replicas ?? 0) === 0)) scale(current, replicas);
    return decision;
  }
  const { maxSurge, maxUnavailable } = updateBounds(deployment);
  if (wanted(current) > replicas) scale(current, replicas);
  else
    scale(current, wanted(current) + Math.max(0, Math.min(replicas + maxSurge - total(), replicas - wanted(current))));

  const minAvailable = replicas - maxUnavailable;
  const available = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;
  const missingOfCurrent = wanted(current) - available(current);
  let removable = Math.max(0, total() - minAvailable - missingOfCurrent);
  for (const set of old) {
    const unhealthy = Math.min(removable, Math.max(0, wanted(set) - available(set)));
    scale(set, wanted(set) - unhealthy);
    removable -= unhealthy;
  }
  let surplus = Math.max(0, all.reduce((sum, set) => sum + Math.min(available(set), wanted(set)), 0) - minAvailable);
  for (const set of old) {
    const count = Math.min(surplus, wanted(set));
    scale(set, wanted(set) - count);
    surplus -= count;
  }
  return decision;
}
