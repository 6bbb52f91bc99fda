import type { AuthenticationV1TokenRequest, Node, Pod } from '@rxlet/kube-api';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { ApiError } from '../api-error.ts';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import type { ObjectRequest } from '../request/parse-request.ts';

/** A request that a node agent is allowed to make, with the objects that it concerns. */
export interface RestrictedRequest {
  readonly node: string;
  readonly request: ObjectRequest;
  /** Body of a create or update, or the result of a patch. */
  readonly object?: IncomingObject | undefined;
  /** State before the change. */
  readonly previous?: StoredObject | undefined;
  /** Pod to which a requested token is bound. */
  readonly boundPod?: StoredObject | undefined;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Rejects what a node agent may not write although its request is authorized (admission plugin NodeRestriction). @throws ApiError */
export function restrictNode({ node, request, object, previous, boundPod }: RestrictedRequest): void {
  const { type, verb, subresource, name } = request;
  const reject = (message: string): never => {
    const subject = object?.metadata?.name ?? name ?? '';
    throw new ApiError('Forbidden', `${type.plural} "${subject}" is forbidden: ${message}`, { type, name: subject });
  };
  if (type.group === '' && type.plural === 'pods') {
    if (verb === 'create' && subresource === undefined) checkMirrorPod(node, object as Pod, reject);
    const pod = previous as unknown as Pod | undefined;
    const changes = verb === 'delete' || subresource === 'status' || subresource === 'eviction';
    if (changes && pod !== undefined && pod.spec?.nodeName !== node) {
      reject(
        `node "${node}" can only ${verb === 'delete' ? 'delete' : 'update status for'} pods with spec.nodeName set to itself`,
      );
    }
  } else if (type.group === '' && type.plural === 'nodes') {
    const name = object?.metadata?.name ?? request.name;
    if (name !== undefined && name !== node) reject(`node "${node}" is not allowed to modify node "${name}"`);
    checkNode(node, object as Node | undefined, previous as unknown as Node | undefined, reject);
  } else if (type.plural === 'serviceaccounts' && subresource === 'token') {
    checkTokenRequest(
      node,
      object as AuthenticationV1TokenRequest | undefined,
      boundPod as unknown as Pod | undefined,
      reject,
    );
  } else if (type.plural === 'leases' && object?.metadata?.name !== undefined && object.metadata.name !== node) {
    reject('can only access node lease with the same name as the requesting node');
  } else if (type.plural === 'csinodes' && object?.metadata?.name !== undefined && object.metadata.name !== node) {
    reject('can only access CSINode with the same name as the requesting node');
  }
}

function checkMirrorPod(node: string, { metadata, spec }: Pod, reject: (message: string) => never): void {
  if (metadata?.annotations?.[MIRROR] === undefined)
    reject(`pod does not have "${MIRROR}" annotation, node "${node}" can only create mirror pods`);
  if (spec?.nodeName !== node) reject(`node "${node}" can only create pods with spec.nodeName set to itself`);
  const owner = metadata?.ownerReferences?.[0];
  const isOwned =
    metadata?.ownerReferences?.length === 1 &&
    owner?.kind === 'Node' &&
    owner.name === node &&
    owner.controller === true;
  if (!isOwned) reject(`node "${node}" can only create pods with an owner reference set to itself`);
  const volumes = (spec?.volumes ?? []).some(
    ({ secret, configMap, persistentVolumeClaim, projected }) =>
      secret ?? configMap ?? persistentVolumeClaim ?? projected,
  );
  if (volumes || spec?.serviceAccountName) reject(`node "${node}" can not create pods that reference API objects`);
}

function checkTokenRequest(
  node: string,
  request: AuthenticationV1TokenRequest | undefined,
  pod: Pod | undefined,
  reject: (message: string) => never,
): void {
  const { boundObjectRef } = request?.spec ?? {};
  // Clients in Go send null for an empty list.
  const audiences = request?.spec?.audiences ?? [];
  if (boundObjectRef?.kind !== 'Pod' || !boundObjectRef.name || !boundObjectRef.uid) {
    return reject('node requested token not bound to a pod');
  }
  // The token request itself reports a pod that does not exist.
  if (pod === undefined) return;
  if (boundObjectRef.uid !== pod.metadata?.uid) {
    reject(
      `the UID in the bound object reference (${boundObjectRef.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (pod.spec?.nodeName !== node) reject('node requested token bound to a pod scheduled on a different node');
  if (audiences.length > 1) reject('node may only request 0 or 1 audiences');
  const requested = audiences[0] ?? '';
  const offered = (pod.spec?.volumes ?? []).flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }) =>
      serviceAccountToken ? [serviceAccountToken.audience ?? ''] : [],
    ),
  );
  // Drivers may ask for tokens of any audience for their volumes.
  if (
    (pod.spec?.volumes ?? []).some(
      ({ csi, persistentVolumeClaim, ephemeral }) => csi ?? persistentVolumeClaim ?? ephemeral,
    )
  )
    return;
  if (offered.includes(requested)) return;
  reject(
    `audience ${JSON.stringify(requested)} not found in pod spec volume, system:node:${node} is not authorized to request tokens for this audience`,
  );
}

/** Labels below `kubernetes.io` that a node may set on itself. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const OWN_LABEL_PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

function checkNode(
  node: string,
  next: Node | undefined,
  before: Node | undefined,
  reject: (message: string) => never,
): void {
  if (next === undefined) return;
  const [labels, oldLabels] = [next.metadata?.labels ?? {}, before?.metadata?.labels ?? {}];
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(oldLabels)])].filter(
    (key) => labels[key] !== oldLabels[key],
  );
  const isForbidden = (key: string): boolean => {
    const prefix = key.split('/').length > 1 ? key.split('/')[0]! : '';
    if (prefix === 'node-restriction.kubernetes.io' || prefix.endsWith('.node-restriction.kubernetes.io')) return true;
    const isKubernetes = ['kubernetes.io', 'k8s.io'].some(
      (domain) => prefix === domain || prefix.endsWith(`.${domain}`),
    );
    const isOwn = OWN_LABELS.has(key) || OWN_LABEL_PREFIXES.some((own) => prefix === own || prefix.endsWith(`.${own}`));
    return isKubernetes && !isOwn;
  };
  const forbidden = changed.filter(isForbidden).sort();
  if (forbidden.length > 0) reject(`is not allowed to modify labels: ${forbidden.join(', ')}`);
  if (before === undefined) return;
  if (!sameValue(next.spec?.taints, before.spec?.taints)) reject(`node "${node}" is not allowed to modify taints`);
  if (!sameValue(next.metadata?.ownerReferences, before.metadata?.ownerReferences))
    reject(`node "${node}" is not allowed to modify ownerReferences`);
}
