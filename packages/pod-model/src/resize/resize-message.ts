import type { Pod } from '@rxlet/kube-api';
import { desiredResources } from './allocated-resources.ts';

/** Outcomes of a resize in place (KEP-1287), as events name them. */
export type ResizeOutcome = 'started' | 'completed' | 'error' | 'Deferred' | 'Infeasible';

/** Returns the message of an event about a resize, with the resources of the containers as JSON. */
export function resizeMessage(outcome: ResizeOutcome, pod: Pod, message?: string): string {
  const containers = [...desiredResources(pod).containers].map(([name, resources]) => ({ name, resources }));
  const generation = pod.metadata?.generation;
  const details = {
    ...(message !== undefined && { [outcome === 'error' ? 'error' : 'message']: message }),
    containers,
    ...(generation !== undefined && { generation }),
  };
  return `Pod resize ${outcome}: ${JSON.stringify(details)}`;
}
