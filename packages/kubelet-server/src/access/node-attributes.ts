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
  // What happened to the pods shows no more than their statuses and events.
  ['/journal', 'pods'],
  ['/explain', 'pods'],
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

/** Paths that run programs in containers, or connect to them, whatever the method: a WebSocket begins with a GET. */
const COMMANDS: readonly string[] = ['/exec', '/attach', '/portForward', '/run'];

/** Options of {@link nodeAttributes}. */
export interface NodeAttributesOptions {
  /** Whether subresources below `proxy` count (feature gate KubeletFineGrainedAuthz). Default: true. */
  readonly isFineGrained?: boolean;
  /** Whether the verb of a GET that opens a stream to a container is `get`, as in the kubelet. Default: false, it is `create`. */
  readonly permitsStreamsByGet?: boolean;
}

/** Returns the permission that a request with this method and decoded path needs (kubelet: GetRequestAttributes). */
export function nodeAttributes(
  method: string,
  path: string,
  { isFineGrained = true, permitsStreamsByGet = false }: NodeAttributesOptions = {},
): NodeAttributes {
  const find = (table: typeof SEPARATE): string | undefined => table.find(([root]) => isBelow(path, root))?.[1];
  const fine = isFineGrained ? find(FINE_GRAINED) : undefined;
  const isCommand = COMMANDS.some((root) => isBelow(path, root));
  const verbMethod = method === 'GET' && isCommand && !permitsStreamsByGet ? 'POST' : method;
  const verb = Object.hasOwn(VERBS, verbMethod) ? VERBS[verbMethod]! : '';
  return { verb, subresources: [...(fine === undefined ? [] : [fine]), find(SEPARATE) ?? 'proxy'] };
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
