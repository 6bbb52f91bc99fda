import { isKubeError, type KubeClient, type ObjectChange, type ObjectWatch } from '@rxlet/kube-api/client';
import type { NodeObject } from '@rxlet/agent-api/node';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import type { Logger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { formatPod, isMirrorPod, parsePodFullName, PodAnnotation, podFullName } from '@rxlet/pod-model';
import { filter, map, mergeMap } from 'rxjs';

/** Ports of {@link createMirrorPods}. */
export interface MirrorPodsPorts {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'delete'>;
  /** The node's pods in the API server, mirror pods among them. */
  readonly watch: Pick<ObjectWatch<Pod>, 'list' | 'find' | 'changes$'>;
  /** The node, which owns the mirror pods. */
  readonly node: Pick<NodeObject, 'cached'>;
  readonly logger: Logger;
}

/** Creates {@link MirrorPods} in an API server (kubelet: the mirror client and tryReconcileMirrorPods). */
export function createMirrorPods(ports: MirrorPodsPorts): Required<MirrorPods> {
  const { client, watch, node, logger } = ports;

  const findMirror = (name: string, namespace: string | undefined): Pod | undefined => {
    const found = watch.find({ name, namespace });
    return found !== undefined && isMirrorPod(found) ? found : undefined;
  };
  const mirrorNamedAs = ({ metadata }: Pod): Pod | undefined => findMirror(metadata?.name ?? '', metadata?.namespace);
  /** Deletes a mirror pod. Reports whether it was this call that deleted it. Rejects with a conflict when another one has its name now. */
  const deleteMirror = async (mirror: Pod, signal: AbortSignal): Promise<boolean> => {
    const { name = '', namespace, uid } = mirror.metadata ?? {};
    try {
      const preconditions = { uid };
      await client.delete(resources.pods, { name, namespace }, { gracePeriodSeconds: 0, preconditions, signal });
      logger.info('deleted a mirror pod', { pod: formatPod(mirror) });
      return true;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return false;
      throw error;
    }
  };
  const createMirror = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const { metadata } = node.cached();
    if (metadata?.deletionTimestamp !== undefined) return;
    if (!metadata?.uid) throw new Error('cannot create a mirror pod: the node is not registered yet');
    const mirror = toMirrorPod(pod, { name: metadata.name ?? '', uid: metadata.uid });
    try {
      await client.create(resources.pods, mirror, { signal });
      logger.info('created a mirror pod', { pod: formatPod(pod) });
    } catch (error) {
      if (!isKubeError(error, 'AlreadyExists')) throw error;
      // The watch may not have it yet. Another pod of the name is a conflict that an administrator must resolve.
      const { name = '', namespace } = pod.metadata ?? {};
      const existing = await client.get(resources.pods, { name, namespace }, { signal });
      if (!isMirrorOf(existing, pod)) throw error;
    }
  };

  return {
    mirrorOf(pod) {
      // The mirror of an earlier version shows what became of that one.
      const mirror = mirrorNamedAs(pod);
      return mirror !== undefined && isMirrorOf(mirror, pod) ? mirror : undefined;
    },
    changes$: watch.changes$.pipe(
      mergeMap((change) => presentObjects(change)),
      filter(isMirrorPod),
      map(podFullName),
    ),
    fullNames: () => watch.list().filter(isMirrorPod).map(podFullName),
    async reconcile(pod, signal) {
      const mirror = mirrorNamedAs(pod);
      if (mirror !== undefined) {
        const isStale = mirror.metadata?.deletionTimestamp !== undefined || !isMirrorOf(mirror, pod);
        if (!isStale || !(await deleteMirror(mirror, signal))) return;
      }
      await createMirror(pod, signal);
    },
    async remove(fullName, signal) {
      const { name, namespace } = parsePodFullName(fullName) ?? {};
      const mirror = findMirror(name ?? '', namespace);
      try {
        if (mirror !== undefined) await deleteMirror(mirror, signal);
      } catch (error) {
        if (!isKubeError(error, 'Conflict')) throw error;
      }
    },
  };
}

/** Returns the objects that a change shows. A snapshot has those that were there before the watch. */
function presentObjects(change: ObjectChange<Pod>): readonly Pod[] {
  if (change.type === 'deleted') return [];
  return change.type === 'snapshot' ? change.objects : [change.object];
}

/** Reports whether a pod mirrors this version of a static pod. */
export function isMirrorOf(mirror: Pod, pod: Pod): boolean {
  const hash = pod.metadata?.annotations?.[PodAnnotation.configHash];
  return hash !== undefined && mirror.metadata?.annotations?.[PodAnnotation.configMirror] === hash;
}

function toMirrorPod({ metadata = {}, spec }: Pod, node: { readonly name: string; readonly uid: string }): Pod {
  const { name, namespace, uid, labels, annotations = {} } = metadata;
  const hash = annotations[PodAnnotation.configHash] ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(labels !== undefined && { labels }),
      annotations: { ...annotations, [PodAnnotation.configMirror]: hash },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', ...node, controller: true }],
    },
    ...(spec !== undefined && { spec }),
    status: { phase: 'Pending' },
  };
}
