import type { EndpointResponse } from '@rxlet/agent-api/http';
import type { Operation, ServiceRoute } from './route.ts';
import { trimEndSlashes } from './clean-path.ts';

/** Operation of a request, with its segments; or the answer to a request that has none. */
export type Selection =
  { readonly operation: Operation; readonly segments: readonly string[] } | { readonly failure: EndpointResponse };

/** Selects the operation of a service by path, method and accepted media types, in this order. */
export function selectOperation(
  { root, operations }: ServiceRoute,
  { path, method, accept }: { readonly path: string; readonly method: string; readonly accept: string | undefined },
): Selection {
  const segments = segmentsOf(path).slice(segmentsOf(root).length);
  const byPath = operations.filter((operation) => matchesPath(operation, segments));
  if (byPath.length === 0) return { failure: { status: 404, body: '404: Page Not Found' } };
  const byMethod = byPath.filter(({ methods }) => methods?.includes(method) ?? true);
  if (byMethod.length === 0) {
    const allow = [...new Set(byPath.flatMap(({ methods = [] }) => methods))].join(', ');
    return { failure: { status: 405, headers: { allow }, body: '405: Method Not Allowed' } };
  }
  const operation = byMethod.find(({ produces }) => accepts(accept, produces));
  if (operation !== undefined) return { operation, segments: segments.slice(operation.fixed?.length ?? 0) };
  const available = byMethod.map(({ produces = '' }) => produces).join(', ');
  return { failure: { status: 406, body: `406: Not Acceptable\n\nAvailable representations: ${available}` } };
}

/** Returns the segments of a decoded path; slashes at its ends do not count. */
function segmentsOf(path: string): readonly string[] {
  const trimmed = trimEndSlashes(path).replace(/^\/+/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function matchesPath({ fixed = [], segments: { least, most } }: Operation, segments: readonly string[]): boolean {
  const count = segments.length - fixed.length;
  return count >= least && count <= most && fixed.every((segment, index) => segments[index] === segment);
}

/** Reports whether the client accepts a media type. As in the kubelet, `application/*` accepts nothing, and an operation without a type needs a client that accepts any. */
function accepts(accept: string | undefined, produces: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((part) => {
    const type = part.split(';', 1)[0]!.trim();
    return type === '*/*' || type === produces;
  });
}
