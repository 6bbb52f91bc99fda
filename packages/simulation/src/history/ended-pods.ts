import type { History } from './history.ts';

/** Returns the UIDs of the pods that the agent has ended with a reason. */
export function podsEndedFor(reason: string, history: History): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const event of history)
    if (event.kind === 'status' && event.status.reason === reason) uids.add(event.status.uid);
  return uids;
}
