import { type Clock, sleep } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { resources, subresources } from '@rxlet/kube-api/resources';

/** Ports of {@link evictPods} and {@link setUnschedulable}. */
export interface DrainPorts {
  /** Client of an administrator. */
  readonly admin: KubeClient;
  readonly clock: Clock;
}

/** Pause after an eviction that a disruption budget does not permit, as in `kubectl drain`. */
const RETRY_MS = 5_000;

/** Cordons a node, or ends that. */
export async function setUnschedulable(
  { admin }: Pick<DrainPorts, 'admin'>,
  name: string,
  unschedulable: boolean,
): Promise<void> {
  // As `kubectl uncordon`, which removes the field.
  const body = { spec: { unschedulable: unschedulable ? true : null } };
  await admin.patch(resources.nodes, { name }, { type: 'merge', body });
}

/** Evicts the pods of a node as `kubectl drain --ignore-daemonsets --force` does: all but finished ones, mirror pods, and those of DaemonSets. */
export async function evictPods({ admin, clock }: DrainPorts, nodeName: string, signal: AbortSignal): Promise<void> {
  const { items } = await admin.list(resources.pods, { fieldSelector: `spec.nodeName=${nodeName}`, signal });
  const evict = async ({ metadata: { name = '', namespace = '' } = {} }: Pod): Promise<void> => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    for (;;) {
      try {
        await admin.createSubresource(subresources.podEviction, { name, namespace }, body, { signal });
        return;
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return;
        if (!isKubeError(error, 'TooManyRequests')) throw error;
        await sleep(clock, RETRY_MS, signal);
      }
    }
  };
  await Promise.all(items.filter(isEvicted).map(evict));
}

function isEvicted({ metadata, status }: Pod): boolean {
  const isOfDaemonSet = metadata?.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller);
  const isMirror = metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  return isOfDaemonSet !== true && !isMirror && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
