import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import { type ApiResponse, jsonResponse } from '../server/api-message.ts';
import { schemasOf } from './schemas.ts';

const INDEX = '/openapi/v3';

/** Answers `/openapi/v3` and the documents below it, one for each group and version; `undefined` for any other path. */
export function openApiV3(path: string, types: readonly ResourceType[], gitVersion: string): ApiResponse | undefined {
  if (path === INDEX) {
    const paths = [...new Set(types.map(rootOf))].map((root) => [root, { serverRelativeURL: `${INDEX}/${root}` }]);
    return jsonResponse(200, { paths: Object.fromEntries(paths) as object });
  }
  if (!path.startsWith(`${INDEX}/`)) return undefined;
  const found = types.filter((type) => rootOf(type) === path.slice(INDEX.length + 1));
  if (found.length === 0) return undefined;
  return jsonResponse(200, {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: gitVersion },
    paths: Object.fromEntries(found.flatMap(pathsOf)) as object,
    components: { schemas: schemasOf(found, '#/components/schemas/') },
  });
}

/** Returns the path of a group and version, such as `api/v1`. */
function rootOf(type: ResourceType): string {
  return `${type.group === '' ? 'api' : 'apis'}/${apiVersionOfType(type)}`;
}

/** Returns the paths of a resource. Clients read from the parameters whether the server validates fields. */
function pathsOf(type: ResourceType): readonly (readonly [string, object])[] {
  const { group, version, kind, plural, isNamespaced, isVirtual } = type;
  const collection = `/${rootOf(type)}${isNamespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const parameters = [{ name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }];
  const operation = (action: string, given: readonly object[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: given,
    responses: {},
  });
  const post = operation('post', parameters);
  if (isVirtual === true) return [[collection, { post }]];
  const put = operation('put', parameters);
  return [
    [collection, { get: operation('list'), post }],
    [
      `${collection}/{name}`,
      { get: operation('get'), put, patch: operation('patch', parameters), delete: operation('delete') },
    ],
  ];
}
