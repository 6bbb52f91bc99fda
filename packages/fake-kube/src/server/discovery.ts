import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import { isNodeSubresource } from '../node-proxy/node-route.ts';
import { openApiV2, OPENAPI_V2_TYPE } from '../openapi/openapi-v2.ts';
import { openApiV3 } from '../openapi/openapi-v3.ts';
import { type ApiResponse, bytesResponse, jsonResponse, textResponse } from './api-message.ts';

/** Version that the server reports. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** Answers the requests by which clients learn what a server offers; `undefined` for any other path. */
export function discover(
  path: string,
  types: readonly ResourceType[],
  version: ServerVersion,
): ApiResponse | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  switch (parts.join('/')) {
    case 'version':
      return jsonResponse(200, { ...version, platform: 'linux/amd64' });
    case 'healthz':
    case 'readyz':
    case 'livez':
      return textResponse(200, 'ok');
    case 'api':
      return jsonResponse(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
    case 'apis': {
      const names = [...new Set(types.map(({ group }) => group))].filter((group) => group !== '');
      return jsonResponse(200, {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: names.map((name) => groupOf(name, types)),
      });
    }
    case 'openapi/v2':
      return bytesResponse(OPENAPI_V2_TYPE, openApiV2(types, version.gitVersion));
    default:
      return openApiV3(path, types, version.gitVersion) ?? describe(parts, types);
  }
}

function describe([root, ...rest]: readonly string[], types: readonly ResourceType[]): ApiResponse | undefined {
  if (root === 'api' && rest.length === 1) return resourceList('', rest[0]!, types);
  if (root !== 'apis') return undefined;
  const [group = '', version] = rest;
  if (rest.length === 1 && types.some((type) => type.group === group)) {
    return jsonResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, types) });
  }
  return rest.length === 2 ? resourceList(group, version!, types) : undefined;
}

function groupOf(name: string, types: readonly ResourceType[]): object {
  const versions = [...new Set(types.filter(({ group }) => group === name).map(({ version }) => version))];
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceList(group: string, version: string, types: readonly ResourceType[]): ApiResponse | undefined {
  const found = types.filter((type) => type.group === group && type.version === version);
  if (found.length === 0) return undefined;
  const groupVersion = apiVersionOfType(found[0]!);
  const resources = found.flatMap((type) => [
    entryOf(type),
    ...(type.subresources ?? []).map((name) => subresourceOf(type, name)),
  ]);
  return jsonResponse(200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
}

function entryOf(type: ResourceType): object {
  const { plural, kind, isNamespaced, shortNames, categories, isVirtual } = type;
  return {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced: isNamespaced,
    kind,
    verbs:
      isVirtual === true
        ? ['create']
        : ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
  };
}

/** Kinds of subresources that take another object than that of their resource. */
const SUBRESOURCE_KINDS: Readonly<
  Record<string, { readonly group: string; readonly version: string; readonly kind: string }>
> = {
  binding: { group: '', version: 'v1', kind: 'Binding' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  exec: { group: '', version: 'v1', kind: 'PodExecOptions' },
  attach: { group: '', version: 'v1', kind: 'PodAttachOptions' },
  portforward: { group: '', version: 'v1', kind: 'PodPortForwardOptions' },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
};

/** Verbs of subresources that a kubelet answers. */
const NODE_VERBS = (name: string): readonly string[] => (name === 'log' ? ['get'] : ['create', 'get']);

function subresourceOf(type: ResourceType, name: string): object {
  const other = SUBRESOURCE_KINDS[name];
  return {
    name: `${type.plural}/${name}`,
    singularName: '',
    namespaced: type.isNamespaced,
    kind: other?.kind ?? type.kind,
    verbs: isNodeSubresource(name)
      ? NODE_VERBS(name)
      : other === undefined || name === 'scale'
        ? ['get', 'patch', 'update']
        : ['create'],
    ...(other && { group: other.group, version: other.version }),
  };
}
