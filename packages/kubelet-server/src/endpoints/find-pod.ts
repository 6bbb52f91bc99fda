import { EndpointError } from '@rxlet/agent-api/http';
import type { Pod } from '@rxlet/kube-api';

/** Finds a pod by its name. While a changed manifest replaces a static pod, both have the name, and the one that stays is found. @throws EndpointError 404 */
export function findPod(pods: readonly Pod[], namespace: string, name: string): Pod {
  const found = pods.filter(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);
  const pod = found.findLast(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? found.at(-1);
  if (pod === undefined) throw new EndpointError(404, 'pod does not exist');
  return pod;
}
