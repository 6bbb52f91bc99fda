/** A view of the page with its place in the address, so that a link leads to it. */
export type Route =
  | { readonly view: 'pods' | 'node' | 'events' | 'inside' }
  | { readonly view: 'pod'; readonly namespace: string; readonly name: string; readonly tab: PodTab };

/** Parts of the view of a pod. */
export const POD_TABS = ['timeline', 'containers', 'events', 'logs', 'terminal', 'yaml'] as const;
export type PodTab = (typeof POD_TABS)[number];

/** Returns the route of an address's fragment. Anything unknown leads to the pods. */
export function parseRoute(hash: string): Route {
  const [view = '', ...parts] = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decode(part));
  switch (view) {
    case 'node':
    case 'events':
    case 'inside':
      return { view };
    case 'pods': {
      const [namespace, name, tab] = parts;
      if (namespace === undefined || name === undefined) return { view: 'pods' };
      return { view: 'pod', namespace, name, tab: POD_TABS.find((known) => known === tab) ?? 'timeline' };
    }
    default:
      return { view: 'pods' };
  }
}

/** Returns the address of a route. */
export function hrefOf(route: Route): string {
  if (route.view !== 'pod') return `#/${route.view}`;
  const { namespace, name, tab } = route;
  const path = [namespace, name, ...(tab === 'timeline' ? [] : [tab])].map(encodeURIComponent);
  return `#/pods/${path.join('/')}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
