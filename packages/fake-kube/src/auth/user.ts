/** The author of a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** A request without credentials. */
export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** An administrator, who may do everything. */
export const admin: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** Returns the user of a node agent. */
export function nodeUser(nodeName: string): User {
  return { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
}

/** Returns the name of the node whose agent the user is. */
export function nodeOf({ name, groups }: User): string | undefined {
  return groups.includes('system:nodes') ? /^system:node:(.+)$/.exec(name)?.[1] : undefined;
}
