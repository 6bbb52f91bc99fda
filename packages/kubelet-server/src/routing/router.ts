import { cleanPath } from './clean-path.ts';
import { unescapePath, type RequestTarget } from '../request/request-target.ts';
import type { Route } from './route.ts';

/** Result of {@link Router.match}. */
export type Match =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'unknown' };

/** Finds the route of a path, by the rules of Go's `ServeMux`. */
export interface Router {
  match(target: RequestTarget): Match;
}

/** Creates a {@link Router}. Of two routes with the same pattern, the later one counts. */
export function createRouter(routes: readonly Route[]): Router {
  const exact = new Map<string, Route>();
  const subtrees = new Map<string, Route>();
  /** Number of segments of the deepest subtree. */
  let deepest = 0;
  for (const route of routes) {
    for (const pattern of patternsOf(route)) {
      if (pattern.endsWith('/')) {
        const root = pattern.slice(0, -1);
        subtrees.set(root, route);
        deepest = Math.max(deepest, root.split('/').length);
      } else exact.set(pattern, route);
    }
  }
  const find = (path: string): Route | undefined => {
    const segments = decodeSegments(path);
    if (segments === undefined) return undefined;
    const key = segments.join('/');
    const found = path.endsWith('/') ? undefined : exact.get(key);
    if (found !== undefined) return found;
    // The path of a subtree itself belongs to it with its slash only.
    // A client without permission chooses the number of its segments: only as many as a subtree has are compared.
    for (let length = Math.min(segments.length - 1, deepest); length > 0; length -= 1) {
      const route = subtrees.get(segments.slice(0, length).join('/'));
      if (route !== undefined) return route;
    }
    return undefined;
  };
  return {
    match({ escapedPath, query }) {
      const clean = cleanPath(escapedPath);
      const route = find(clean);
      if (route === undefined && !clean.endsWith('/') && subtrees.has(clean)) {
        return { kind: 'redirect', location: `${clean}/${query}` };
      }
      if (clean !== escapedPath) return { kind: 'redirect', location: `${clean}${query}` };
      return route === undefined ? { kind: 'unknown' } : { kind: 'route', route };
    },
  };
}

function patternsOf(route: Route): readonly string[] {
  if ('pattern' in route) return [route.pattern];
  return route.root.endsWith('/') ? [route.root] : [route.root, `${route.root}/`];
}

/** Returns the decoded segments of a path, the first of them empty; `undefined` for a malformed path. An encoded slash stays part of its segment. */
function decodeSegments(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const part of path.split('/')) {
    const segment = unescapePath(part);
    if (segment === undefined) return undefined;
    segments.push(segment.replaceAll('/', '\0'));
  }
  return segments;
}
