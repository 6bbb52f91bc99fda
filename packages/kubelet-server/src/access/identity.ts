/** Client of the server, as authentication established it (Kubernetes: user info). */
export interface Identity {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Group of everybody who is authenticated. */
const AUTHENTICATED = 'system:authenticated';

/** Client without credentials, where they are let in. */
export const ANONYMOUS: Identity = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} };

/** Adds the group of the authenticated, unless the identity has it or the one of the others. */
export function withAuthenticatedGroup(identity: Identity): Identity {
  const { groups } = identity;
  if (groups.includes(AUTHENTICATED) || groups.includes('system:unauthenticated')) return identity;
  return { ...identity, groups: [...groups, AUTHENTICATED] };
}
