import type { ObjectRef } from '@rxlet/kube-api/client';
import type { KubeResource } from '@rxlet/kube-api/resources';

/** Parameters of a request; absent ones are left out. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns the path of a resource, in one namespace or in all. */
export function collectionPath(
  { group, version, plural, isNamespaced }: KubeResource<unknown>,
  namespace?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return isNamespaced && namespace !== undefined
    ? `${root}/namespaces/${segment(namespace)}/${plural}`
    : `${root}/${plural}`;
}

/** Returns the path of an object, or of one of its subresources. @throws TypeError when name or namespace are missing */
export function objectPath(
  resource: KubeResource<unknown>,
  { name, namespace }: ObjectRef,
  subresource?: string,
): string {
  if (name === '') throw new TypeError(`cannot address one of the ${resource.plural} without a name`);
  if (resource.isNamespaced && !namespace) {
    throw new TypeError(`cannot address ${resource.plural} "${name}" without a namespace`);
  }
  const path = `${collectionPath(resource, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** Returns the path with a query, whose parameters are ordered by name as client-go's are. */
export function withQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  query.sort();
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Escapes an element of a path. Names of two dots would lead elsewhere. */
function segment(text: string): string {
  if (text === '.' || text === '..') throw new TypeError(`cannot address an object named "${text}"`);
  return encodeURIComponent(text);
}
