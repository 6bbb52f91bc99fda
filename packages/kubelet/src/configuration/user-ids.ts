import { errorMessage } from '@rxlet/component-base';
import { type KubeletConfiguration, KubeletConfigurationError } from '@rxlet/kubelet-config';
import { checkIdPool, defaultIdPool, type IdPool } from '@rxlet/runtime-manager';
import type { KubeletNode } from './kubelet-node.ts';

/** Number of ids that a node has. */
const ALL_IDS = 2 ** 32;

/**
 * Returns the ids for user namespaces of pods; `undefined` for the default.
 *
 * @throws KubeletConfigurationError when they do not suffice, or do not begin or end at a multiple of those of one pod
 */
export function toUserIds(
  { userNamespaces, maxPods }: KubeletConfiguration,
  { subordinateIds }: Pick<KubeletNode, 'subordinateIds'>,
): IdPool | undefined {
  const idsPerPod = userNamespaces?.idsPerPod ?? defaultIdPool.idsPerPod;
  if (subordinateIds === undefined && idsPerPod === defaultIdPool.idsPerPod) return undefined;
  // The first ids are those of the node itself.
  const { firstId, count } = subordinateIds ?? { firstId: idsPerPod, count: ALL_IDS - idsPerPod };
  const pool: IdPool = { firstId, count, idsPerPod };
  try {
    checkIdPool(pool, maxPods);
  } catch (error) {
    throw new KubeletConfigurationError('start', [errorMessage(error)], { cause: error });
  }
  return pool;
}
