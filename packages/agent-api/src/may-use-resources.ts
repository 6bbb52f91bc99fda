import { isTerminalPhase } from '@rxlet/pod-model';
import type { AgentCore } from './agent-core.ts';

/**
 * Reports whether a pod is desired, or may still run containers, so that it keeps the resources that are assigned to it. Before all sources are ready, each pod may
 * be desired.
 */
export function mayUseResources(
  core: Pick<AgentCore, 'sourcesReady' | 'mayRunContainers' | 'pods' | 'podStatus'>,
  podUid: string,
): boolean {
  if (!core.sourcesReady() || core.mayRunContainers(podUid)) return true;
  const pod = core.pods.get(podUid);
  return pod !== undefined && !isTerminalPhase((core.podStatus(podUid) ?? pod.status)?.phase);
}
