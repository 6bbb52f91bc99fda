import { qualifiedName, type ResourceType } from '../resource-type.ts';
import type { StoredObject } from '../api-object.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { AccessDecision, AccessRequest, Authorizer } from './authorization.ts';
import { type ReferencedKind, refersTo } from './pod-references.ts';
import { nodeOf } from './user.ts';

const ALLOWED: AccessDecision = { isAllowed: true };
const denied = (reason = ''): AccessDecision => ({ isAllowed: false, reason });

const READ = new Set(['get', 'list', 'watch']);
const WRITE = new Set(['create', 'get', 'update', 'patch', 'delete']);

/** Requests that every node agent may make, whatever the object: `verbs resource[/subresource]`. */
const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  services: READ,
  'runtimeclasses.node.k8s.io': READ,
  'csidrivers.storage.k8s.io': READ,
  'clustertrustbundles.certificates.k8s.io': READ,
  'certificatesigningrequests.certificates.k8s.io': new Set(['create', 'get', 'list', 'watch']),
  'tokenreviews.authentication.k8s.io': new Set(['create']),
  'subjectaccessreviews.authorization.k8s.io': new Set(['create']),
  events: new Set(['create', 'update', 'patch']),
};

/** Permission of a user who is no node agent, as a cluster role gives it. */
export interface UserPermission {
  /** Name of the user. */
  readonly user: string;
  readonly verbs: readonly string[];
  /** Resources of the core group; one of a subresource is `resource/subresource`. */
  readonly resources: readonly string[];
}

/**
 * Authorizes as the node authorizer of an API server does: members of `system:masters` may do everything, a node agent may use its own Node, lease and CSINode, its pods
 * and the objects that they refer to, a bootstrapping agent may request a certificate, and other users have the given permissions alone.
 */
export function nodeAuthorizer(
  store: ObjectStore,
  types: readonly ResourceType[],
  permissions: readonly UserPermission[] = [],
): Authorizer {
  const typeOf = (plural: string): ResourceType => types.find((type) => type.plural === plural)!;
  const podsOf = (node: string): readonly StoredObject[] =>
    store.list(typeOf('pods')).filter(({ spec }) => (spec as { nodeName?: string }).nodeName === node);

  const isRelated = (node: string, kind: ReferencedKind, { namespace, name }: AccessRequest): boolean =>
    name !== undefined && podsOf(node).some((pod) => refersTo(pod, kind, { namespace, name }, store, typeOf));

  const authorizeNode = (node: string, request: AccessRequest): AccessDecision => {
    const { verb, resource, subresource, namespace, name, fields } = request;
    const qualified = qualifiedName({ group: request.group, plural: resource });
    if (subresource === undefined && COMMON[qualified]?.has(verb) === true) return ALLOWED;
    const unrelated = denied(`no relationship found between node '${node}' and this object`);
    switch (qualified) {
      case 'nodes': {
        if (verb === 'create' && subresource === undefined) return ALLOWED;
        if (name !== node) return denied(`node '${node}' cannot read '${name ?? ''}', only its own Node object`);
        return READ.has(verb) || verb === 'update' || verb === 'patch' ? ALLOWED : denied();
      }
      case 'leases.coordination.k8s.io':
        if (namespace !== 'kube-node-lease')
          return denied(`can only access leases in the "kube-node-lease" system namespace`);
        if (!WRITE.has(verb)) return denied();
        return verb === 'create' || name === node
          ? ALLOWED
          : denied('can only access node lease with the same name as the requesting node');
      case 'csinodes.storage.k8s.io':
        if (!WRITE.has(verb)) return denied();
        return verb === 'create' || name === node
          ? ALLOWED
          : denied('can only access CSINode with the same name as the requesting node');
      case 'podcertificaterequests.certificates.k8s.io':
        if (verb === 'create') return ALLOWED;
        if (!READ.has(verb)) return denied();
        return verb === 'get' || fields['spec.nodeName'] === node
          ? ALLOWED
          : denied('can only list/watch podcertificaterequests with spec.nodeName field selector');
      case 'pods': {
        if (subresource === 'status')
          return verb === 'patch' || verb === 'update' || verb === 'get' ? ALLOWED : denied();
        if (subresource === 'eviction') return verb === 'create' ? ALLOWED : denied();
        if (subresource !== undefined) return denied();
        if (verb === 'create' || verb === 'delete') return ALLOWED;
        if (verb === 'list' || verb === 'watch') {
          return fields['spec.nodeName'] === node
            ? ALLOWED
            : denied('can only list/watch pods with spec.nodeName field selector');
        }
        if (verb !== 'get') return denied();
        return podsOf(node).some(({ metadata }) => metadata.name === name && metadata.namespace === namespace)
          ? ALLOWED
          : unrelated;
      }
      case 'configmaps':
      case 'secrets':
        if (!READ.has(verb)) return denied();
        return isRelated(node, qualified, request) ? ALLOWED : unrelated;
      case 'persistentvolumeclaims':
      case 'persistentvolumes':
        if (verb !== 'get' && !(subresource === 'status' && verb !== 'delete'))
          return denied('can only get individual resources of this type');
        return isRelated(node, qualified, request) ? ALLOWED : unrelated;
      case 'serviceaccounts': {
        const isTokenRequest = subresource === 'token' && verb === 'create';
        if (!isTokenRequest && (subresource !== undefined || verb !== 'get')) return denied();
        return isRelated(node, qualified, request) ? ALLOWED : unrelated;
      }
      case 'volumeattachments.storage.k8s.io': {
        if (verb !== 'get') return denied('can only get individual resources of this type');
        const found = name === undefined ? undefined : store.get(typeOf('volumeattachments'), { name });
        return (found?.spec as { nodeName?: string } | undefined)?.nodeName === node ? ALLOWED : unrelated;
      }
      case 'resourceclaims.resource.k8s.io':
        if (verb !== 'get' || subresource !== undefined)
          return denied('can only get individual resources of this type');
        return isRelated(node, 'resourceclaims', request) ? ALLOWED : unrelated;
      case 'resourceslices.resource.k8s.io': {
        const isOwn = fields['spec.nodeName'] === node;
        if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') {
          return isOwn
            ? ALLOWED
            : denied('can only list/watch/deletecollection resourceslices with spec.nodeName field selector');
        }
        return ALLOWED;
      }
      default:
        return denied();
    }
  };

  return (request) => {
    const { groups } = request.user;
    if (groups.includes('system:masters')) return ALLOWED;
    const node = nodeOf(request.user);
    if (node !== undefined) return authorizeNode(node, request);
    const isCertificateRequest = request.resource === 'certificatesigningrequests' && request.subresource === undefined;
    if (permissions.some((permission) => permits(permission, request))) return ALLOWED;
    const canBootstrap = groups.includes('system:bootstrappers') && isCertificateRequest;
    return canBootstrap && ['create', 'get', 'list', 'watch'].includes(request.verb) ? ALLOWED : denied();
  };
}

function permits({ user, verbs, resources }: UserPermission, request: AccessRequest): boolean {
  const { group, resource, subresource } = request;
  const name = subresource === undefined ? resource : `${resource}/${subresource}`;
  return user === request.user.name && group === '' && verbs.includes(request.verb) && resources.includes(name);
}
