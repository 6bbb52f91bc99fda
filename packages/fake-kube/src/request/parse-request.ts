import type { FieldRequirement } from '@rxlet/kube-api/selectors';
import { ApiError } from '../api-error.ts';
import type { ResourceType } from '../resource-type.ts';
import { requiredValue } from '../select/field-selector.ts';
import { parseFieldSelector } from '../select/parse-selectors.ts';

/** Kind of access to a resource, in the words of authorization. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request for objects. */
export interface ObjectRequest {
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** Name in the path, or the one that the field selector of a list or watch requires. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly fieldRequirements: readonly FieldRequirement[];
  readonly query: URLSearchParams;
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Reads method, path and query of a request for objects; `undefined` for any other path. @throws ApiError for an unknown resource or method */
export function parseObjectRequest(
  method: string,
  url: URL,
  types: readonly ResourceType[],
): ObjectRequest | undefined {
  const elements = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const [root, ...rest] = elements;
  const groupLength = root === 'api' ? 1 : root === 'apis' ? 2 : undefined;
  if (groupLength === undefined || rest.length <= groupLength) return undefined;
  const [group, version] = groupLength === 1 ? ['', rest[0]] : [rest[0], rest[1]];
  const place = parsePlace(rest.slice(groupLength));
  const type = types.find((each) => each.group === group && each.version === version && each.plural === place.plural);
  const isUnknown = type === undefined || (place.namespace !== undefined && !type.isNamespaced);
  if (isUnknown) throw new ApiError('NotFound', 'the server could not find the requested resource');
  if (place.subresource !== undefined && type.subresources?.includes(place.subresource) !== true) {
    throw new ApiError('NotFound', 'the server could not find the requested resource');
  }
  const fieldRequirements = parseFieldSelector(url.searchParams.get('fieldSelector') ?? '');
  const request = { ...place, type, fieldRequirements, query: url.searchParams };
  const verb = verbOf(method, request);
  const isCollection = verb === 'list' || verb === 'watch';
  const name = place.name ?? (isCollection ? requiredValue(fieldRequirements, 'metadata.name') : undefined);
  return { ...request, verb, name };
}

interface Place {
  readonly plural: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function parsePlace(elements: readonly string[]): Place {
  const [first, second, third] = elements;
  const isInNamespace = first === 'namespaces' && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third);
  const [plural, name, subresource, ...more] = isInNamespace ? elements.slice(2) : elements;
  if (more.length > 0 || elements.some((element) => element === '')) {
    throw new ApiError('NotFound', 'the server could not find the requested resource');
  }
  return { plural, namespace: isInNamespace ? second : undefined, name, subresource };
}

function verbOf(
  method: string,
  { name, subresource, query, type }: Place & Pick<ObjectRequest, 'query' | 'type'>,
): Verb {
  const isObject = name !== undefined;
  const verb = ((): Verb | undefined => {
    switch (method) {
      case 'GET':
        if (isObject) return 'get';
        return isTrue(query.get('watch')) ? 'watch' : 'list';
      case 'POST':
        return !isObject || subresource !== undefined ? 'create' : undefined;
      case 'PUT':
        return isObject ? 'update' : undefined;
      case 'PATCH':
        return isObject ? 'patch' : undefined;
      case 'DELETE':
        return isObject ? 'delete' : 'deletecollection';
      default:
        return undefined;
    }
  })();
  if (verb === undefined || (type.isVirtual === true && verb !== 'create')) {
    throw new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }
  return verb;
}

/** Reports whether a parameter is true in the notation of Kubernetes. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}
