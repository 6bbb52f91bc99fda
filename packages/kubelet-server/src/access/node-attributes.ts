/** Permission that a request needs on the Node object. */
export interface NodeAttributes {
  /** Verb of the API; empty for a method that has none. */
  readonly verb: string;
  /** Subresources of the node, any of which permits the request, in the order in which they are tried. */
  readonly subresources: readonly string[];
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources that permit less than `proxy`, with the paths for which they do. */
const FINE_GRAINED: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
];

/** Subresources of paths that `proxy` does not permit. */
const SEPARATE: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
];

/** Returns the permission that a request with this method and decoded path needs (kubelet: GetRequestAttributes). */
export function nodeAttributes(method: string, path: string, isFineGrained = true): NodeAttributes {
  const find = (table: typeof SEPARATE): string | undefined => table.find(([root]) => isBelow(path, root))?.[1];
  const fine = isFineGrained ? find(FINE_GRAINED) : undefined;
  const verb = Object.hasOwn(VERBS, method) ? VERBS[method]! : '';
  return { verb, subresources: [...(fine === undefined ? [] : [fine]), find(SEPARATE) ?? 'proxy'] };
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
