import type { Pod, PodList } from '@rxlet/kube-api';
import { usablePod } from '../output/usable-pod.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';

/**
 * Finds a pod by the name that was typed; see {@link selectPod}.
 * @throws AgentConnectionError when there is none
 */
export async function findPod(
  agent: AgentConnection,
  name: string,
  namespace: string,
  signal?: AbortSignal,
): Promise<Pod> {
  const { items } = (await agent.getJson('/pods', signal)) as PodList;
  return usablePod(selectPod(items, name, namespace));
}

/**
 * The pod of that name: its full name, or, for a pod from a manifest, the name in the manifest, to which the agent appended `-<node>`. As kubectl does,
 * it also takes `pod/<name>`.
 *
 * @throws AgentConnectionError when there is none
 */
export function selectPod(pods: readonly Pod[], typed: string, namespace: string): Pod {
  const name = typed.replace(/^(pods?|po)\//, '');
  const [kind = ''] = name.split('/');
  if (name.includes('/'))
    throw new AgentConnectionError(
      `an agent has pods only, no "${kind}" whose pod it could choose: name the pod, as in pod/web; see rxlet get pods`,
    );
  const named = pods.filter((pod) => pod.metadata?.name === name);
  const candidates = named.some((pod) => pod.metadata?.namespace === namespace)
    ? named
    : [...named, ...pods.filter(({ metadata, spec }) => metadata?.name === `${name}-${spec?.nodeName ?? ''}`)];
  const found = candidates.filter(({ metadata }) => metadata?.namespace === namespace);
  // While a changed manifest replaces a pod, both have the name: the newer one is meant.
  const pod = found.findLast(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? found.at(-1);
  if (pod !== undefined) return pod;

  const [elsewhere] = candidates;
  const names = pods.filter(({ metadata }) => metadata?.namespace === namespace).map(({ metadata }) => metadata?.name);
  const hint =
    elsewhere !== undefined
      ? `; there is one in namespace "${elsewhere.metadata?.namespace ?? ''}" (choose it with -n)`
      : names.length > 0
        ? `; there are: ${names.join(', ')}`
        : '';
  throw new AgentConnectionError(`there is no pod "${name}" in namespace "${namespace}"${hint}`);
}
