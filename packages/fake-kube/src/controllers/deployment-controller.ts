import { toRfc3339 } from '@rxlet/component-base';
import type { StoredObject } from '../api-object.ts';
import { type Controller, controllerReference, type ControllerPorts, writeStatus } from './controller.ts';
import { decideReplicas, updateBounds } from './decide-deployment.ts';
import { templateHash } from './template-hash.ts';
import { type Deployment, type ReplicaSet, type WorkloadCondition, workloadTypes } from './workloads.ts';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const { replicaSets, deployments } = workloadTypes;

/** Rolls Deployments out: a ReplicaSet for each template, of which the latest grows while the others shrink. */
export const deploymentController: Controller = {
  type: deployments,
  reconcile(object, ports) {
    if (object.metadata.deletionTimestamp !== undefined) return undefined;
    const deployment = object as unknown as Deployment;
    const isCurrent = ({ metadata }: ReplicaSet): boolean => metadata.labels?.[HASH_LABEL] === hash;
    const hash = templateHash(deployment.spec.template);
    const owned = (): readonly ReplicaSet[] =>
      ports.ownedBy(replicaSets, object.metadata.uid) as unknown as readonly ReplicaSet[];
    const known = owned().find(isCurrent);
    const revision = nextRevision(owned(), known);
    if (deployment.spec.paused !== true) {
      const current = known ?? createReplicaSet(object, deployment, hash, ports);
      const old = owned().filter((set) => !isCurrent(set));
      const decision = decideReplicas(deployment, current, old);
      for (const set of owned()) {
        const replicas = decision.get(set.metadata.name);
        const isNew = isCurrent(set) && set.metadata.annotations?.[REVISION] !== revision;
        if (replicas !== undefined || isNew) changeReplicaSet(set, { replicas, ...(isNew && { revision }) }, ports);
      }
      removeHistory(
        deployment,
        owned().filter((set) => !isCurrent(set)),
        ports,
      );
    }
    const latest = ports.store.get(deployments, object.metadata) ?? object;
    const annotated = withRevision(latest, revision, ports);
    writeStatus(ports, deployments, annotated, statusOf(annotated, owned(), isCurrent, ports.clock.now()));
    return undefined;
  },
};

/** Returns the revision of the current ReplicaSet: one that was rolled back to becomes the latest again. */
function nextRevision(sets: readonly ReplicaSet[], current: ReplicaSet | undefined): string {
  const of = ({ metadata }: ReplicaSet): number => Number(metadata.annotations?.[REVISION] ?? 0);
  const latest = Math.max(0, ...sets.map(of));
  if (current !== undefined && of(current) === latest && latest > 0) return String(latest);
  return String(latest + 1);
}

function createReplicaSet(
  object: StoredObject,
  { spec, metadata }: Deployment,
  hash: string,
  ports: ControllerPorts,
): ReplicaSet {
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const set = {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      ownerReferences: [controllerReference(object)],
    },
    spec: {
      replicas: 0,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  return ports.service.create(replicaSets, metadata.namespace, set as never, ports.context) as unknown as ReplicaSet;
}

function changeReplicaSet(
  set: ReplicaSet,
  { replicas, revision }: { readonly replicas?: number | undefined; readonly revision?: string },
  { service, context }: ControllerPorts,
): void {
  const body = {
    ...(revision !== undefined && { metadata: { annotations: { [REVISION]: revision } } }),
    ...(replicas !== undefined && { spec: { replicas } }),
  };
  service.patch(replicaSets, set.metadata, { contentType: 'application/merge-patch+json', body }, undefined, context);
}

/** Removes the oldest ReplicaSets without pods beyond the limit. */
function removeHistory({ spec }: Deployment, old: readonly ReplicaSet[], { service, context }: ControllerPorts): void {
  const empty = old.filter(({ spec: { replicas }, status }) => (replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0);
  const revisionOf = ({ metadata }: ReplicaSet): number => Number(metadata.annotations?.[REVISION] ?? 0);
  const surplus = empty
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, Math.max(0, empty.length - (spec.revisionHistoryLimit ?? 10)));
  for (const { metadata } of surplus) service.delete(replicaSets, metadata, {}, context);
}

function withRevision(object: StoredObject, revision: string, { store }: ControllerPorts): StoredObject {
  if (object.metadata.annotations?.[REVISION] === revision) return object;
  const annotations = { ...object.metadata.annotations, [REVISION]: revision };
  return store.write(deployments, { ...object, metadata: { ...object.metadata, annotations } });
}

function statusOf(
  object: StoredObject,
  sets: readonly ReplicaSet[],
  isCurrent: (set: ReplicaSet) => boolean,
  nowMs: number,
): object {
  const deployment = object as unknown as Deployment;
  const wanted = deployment.spec.replicas ?? 1;
  const sum = (of: readonly ReplicaSet[], field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    of.reduce((total, { status }) => total + (status?.[field] ?? 0), 0);
  const replicas = sum(sets, 'replicas');
  const updated = sum(sets.filter(isCurrent), 'replicas');
  const ready = sum(sets, 'readyReplicas');
  const available = sum(sets, 'availableReplicas');
  const isEnough = available >= wanted - updateBounds(deployment).maxUnavailable;
  const isComplete = updated === wanted && replicas === wanted && available >= wanted;
  const name = sets.find(isCurrent)?.metadata.name ?? '';
  const conditions = [
    condition(deployment, nowMs, {
      type: 'Available',
      status: isEnough ? 'True' : 'False',
      reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
    }),
    condition(deployment, nowMs, {
      type: 'Progressing',
      status: 'True',
      reason: isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
      message: isComplete
        ? `ReplicaSet "${name}" has successfully progressed.`
        : `ReplicaSet "${name}" is progressing.`,
    }),
  ];
  return {
    observedGeneration: deployment.metadata.generation,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(wanted > available && { unavailableReplicas: wanted - available }),
    conditions,
  };
}

/** Returns a condition, with its earlier times where it has not changed. */
function condition({ status }: Deployment, nowMs: number, next: WorkloadCondition): WorkloadCondition {
  const previous = status?.conditions?.find(({ type }) => type === next.type);
  const isSame = previous?.reason === next.reason && previous?.message === next.message;
  const isSameStatus = previous?.status === next.status;
  return {
    ...next,
    lastUpdateTime: (isSame ? previous?.lastUpdateTime : undefined) ?? toRfc3339(nowMs),
    lastTransitionTime: (isSameStatus ? previous?.lastTransitionTime : undefined) ?? toRfc3339(nowMs),
  };
}
