import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import type { StatusSink } from '@rxlet/agent-api/statuses';
import type { Logger } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { formatPod, podUid } from '@rxlet/pod-model';
import { ownedConditionTypes } from '../condition-types.ts';
import { isRejection } from '../is-rejection.ts';
import { canBeDeleted } from './api-pod.ts';
import { podStatusPatch } from './status-patch.ts';

/** Ports of {@link createApiStatusSink}. */
export interface ApiStatusSinkPorts {
  readonly client: Pick<KubeClient, 'get' | 'patch' | 'delete'>;
  /** Returns types of conditions that modules write, besides the kubelet's own. */
  readonly contributedConditionTypes?: () => readonly string[];
  readonly logger: Logger;
}

/**
 * Creates the sink that writes statuses to an API server (kubelet: the status manager's syncPod): it reads the pod, patches what differs, with the pod's UID as
 * precondition, and deletes a pod whose deletion was requested once the node has finished it.
 */
export function createApiStatusSink({ client, contributedConditionTypes, logger }: ApiStatusSinkPorts): StatusSink {
  return {
    needsMirrorPods: true,
    async publish({ pod, finished, mirrorPod }, signal, current) {
      const { name = '', namespace } = pod.metadata ?? {};
      const ref = { name, namespace };
      const uid = mirrorPod?.metadata?.uid ?? podUid(pod);
      const owned = new Set([...ownedConditionTypes, ...(contributedConditionTypes?.() ?? [])]);
      const patch = (status: PodStatus): Promise<Pod> | undefined => {
        const body = podStatusPatch(uid, status, current(), owned);
        const options = { subresource: 'status', signal };
        return body && client.patch(resources.pods, ref, { type: 'strategic', body }, options);
      };
      // There may be thousands of rejected pods, and nothing but the agent writes their status. If something does, the answer shows it.
      const isKnown = isRejection(current()) && pod.status !== undefined && mirrorPod === undefined;
      let apiPod = isKnown ? await patch(pod.status)?.catch(ignoreConflict) : undefined;
      apiPod ??= await client.get(resources.pods, ref, { signal }).catch(ignoreMissing);
      if (apiPod === undefined) return;
      if (apiPod.metadata?.uid !== uid) {
        logger.info('another pod has taken the name, its status is not reported', { pod: formatPod(pod) });
        return;
      }
      apiPod = (await patch(apiPod.status ?? {})) ?? apiPod;
      if (!canBeDeleted(apiPod, finished)) return;
      await client
        .delete(resources.pods, ref, { gracePeriodSeconds: 0, preconditions: { uid }, signal })
        .catch(ignoreMissing);
    },
  };
}

/** Reading the pod shows whether it is gone, or another one has taken the name. */
function ignoreConflict(error: unknown): undefined {
  if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
}

/** A pod that is gone needs no status. After a conflict, the next attempt finds out whether another pod has taken the name. */
function ignoreMissing(error: unknown): undefined {
  if (!isKubeError(error, 'NotFound')) throw error;
}
