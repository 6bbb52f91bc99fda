import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { Operation, Route, ServiceRoute } from '../routing/route.ts';

/** Services of the kubelet whose operations come from several endpoints. */
const SHARED_ROOTS: readonly string[] = ['stats'];

/** Returns the routes of the endpoints of modules. */
export function contributedRoutes(endpoints: readonly HttpEndpoint[]): readonly Route[] {
  const shared = SHARED_ROOTS.map((root): ServiceRoute => {
    const below = endpoints.filter(({ path }) => path.startsWith(`${root}/`));
    const operations = below.map((endpoint) => operationOf(endpoint, endpoint.path.split('/').slice(1)));
    return {
      root: `/${root}/`,
      operations,
      isOnReadOnlyPort: below.some((endpoint) => endpoint.isOnReadOnlyPort === true),
    };
  });
  const others = endpoints.filter(({ path }) => !SHARED_ROOTS.some((root) => path.startsWith(`${root}/`)));
  return [...shared.filter(({ operations }) => operations.length > 0), ...others.map(routeOf)];
}

function routeOf(endpoint: HttpEndpoint): Route {
  const { path, methods, maxSegments = 0, produces, isOnReadOnlyPort = false, handle } = endpoint;
  if (methods === undefined && maxSegments === 0 && produces === undefined)
    return { pattern: `/${path}`, isOnReadOnlyPort, handle };
  return { root: `/${path}`, isOnReadOnlyPort, operations: [operationOf(endpoint, [])] };
}

function operationOf(
  { methods, minSegments = 0, maxSegments = 0, produces, handle }: HttpEndpoint,
  fixed: readonly string[],
): Operation {
  return {
    ...(methods !== undefined && { methods }),
    ...(produces !== undefined && { produces }),
    fixed,
    segments: { least: minSegments, most: maxSegments },
    handle,
  };
}
