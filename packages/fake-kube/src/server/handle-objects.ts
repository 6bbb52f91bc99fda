import type {
  AuthenticationV1TokenRequest,
  Binding,
  LabelSelector,
  Pod,
  SubjectAccessReview,
  TokenReview,
} from '@rxlet/kube-api';
import type { Clock, Random } from '@rxlet/component-base';
import { resources } from '@rxlet/kube-api/resources';
import { ApiError } from '../api-error.ts';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import { accessOf, type Authorizer, forbidden } from '../auth/authorization.ts';
import { restrictNode } from '../auth/node-restriction.ts';
import { type TokenIssuer, userOfClaims } from '../auth/service-account-tokens.ts';
import { nodeOf, type User } from '../auth/user.ts';
import { checkFields, fieldValidationOf } from '../openapi/check-fields.ts';
import { isNodeSubresource, nodeRoute } from '../node-proxy/node-route.ts';
import type { ObjectName, ObjectService } from '../objects/object-service.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { listOf, selectPage } from '../request/list-objects.ts';
import type { OpenWatches } from '../request/open-watches.ts';
import type { ObjectRequest, Verb } from '../request/parse-request.ts';
import { parseRevision } from '../request/revision.ts';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import { boundPod } from '../rules/pod-rules.ts';
import type { DeletionOptions } from '../rules/deletion.ts';
import type { RuleContext } from '../rules/rule-context.ts';
import { renderTable, type TableRequest, tableRequestOf } from '../tables/render-table.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, type RoutedResponse, textResponse } from './api-message.ts';

/** Parts of a server that handle requests for objects. */
export interface ObjectHandlers {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ObjectStore;
  readonly service: ObjectService;
  readonly tokens: TokenIssuer;
  readonly authorize: Authorizer;
  readonly isNodeRestricted: boolean;
  readonly openWatch: OpenWatches['open'];
  /** Number of revisions by which stale answers are behind. */
  readonly staleRevisions: () => number;
}

/** Handles a request for objects, after its authorization. @throws ApiError when it is rejected */
export function handleObjects(
  handlers: ObjectHandlers,
  message: ApiRequest,
  request: ObjectRequest,
  user: User,
): RoutedResponse {
  const { store, service, clock, random } = handlers;
  const { type, verb, query, subresource } = request;
  const access = accessOf(user, request);
  const decision = handlers.authorize(access);
  if (!decision.isAllowed) throw forbidden(access, request, decision.reason);
  const context: RuleContext = { clock, random, user };
  const table = tableRequestOf(message.headers['accept'], query);
  if (isNodeSubresource(subresource)) {
    if (verb !== 'get' && verb !== 'create') throw notAllowed();
    const pod = service.get(type, nameOf(request));
    return { ...textResponse(200, ''), route: nodeRoute(request, pod, NODES, (name) => store.get(NODES, { name })) };
  }
  if (subresource === 'scale') return jsonResponse(200, scale(handlers, message, request, context));
  switch (verb) {
    case 'list': {
      const page = selectPage(store, request, isFromCache(query) ? handlers.staleRevisions() : 0);
      const asTable = table && renderTable(type, page.objects, page.metadata, table, clock.now());
      return jsonResponse(200, asTable ?? listOf(type, page));
    }
    case 'watch': {
      const rendered = table && ((object: StoredObject) => tableOf(type, object, table, clock.now()));
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: handlers.openWatch(request, user, message.signal, rendered),
      };
    }
    case 'get': {
      const object = read(handlers, request);
      return jsonResponse(200, table === undefined ? object : tableOf(type, object, table, clock.now()));
    }
    case 'create':
      return create(handlers, message, request, context);
    case 'update':
    case 'patch': {
      const name = nameOf(request);
      if (subresource === 'binding' || subresource === 'eviction' || subresource === 'token') throw notAllowed();
      const body = parseBody(message);
      const contentType = (message.headers['content-type'] ?? '').split(';')[0]!.trim();
      const previous = store.get(type, name);
      const object =
        verb === 'update' || previous === undefined
          ? (body as IncomingObject)
          : applyPatch(type, previous, contentType, body);
      const warnings = checkFields(type, object, fieldValidationOf(query));
      restrict(handlers, request, user, object);
      const changed =
        verb === 'update'
          ? service.update(type, name, object, subresource, context)
          : service.patch(type, name, { contentType, body }, subresource, context);
      return jsonResponse(200, changed, warningHeaders(warnings));
    }
    case 'delete': {
      restrict(handlers, request, user, undefined);
      const options = deletionOptions(message, query);
      const { object, isRemoved } = service.delete(type, nameOf(request), options, context);
      const isSilent = isRemoved && type.plural !== 'pods';
      return jsonResponse(
        200,
        isSilent
          ? { ...SUCCESS, details: { name: object.metadata.name, kind: type.plural, uid: object.metadata.uid } }
          : object,
      );
    }
    case 'deletecollection': {
      const page = selectPage(store, request);
      for (const { metadata } of page.objects) {
        service.delete(type, metadata, deletionOptions(message, query), context);
      }
      return jsonResponse(200, listOf(type, page));
    }
  }
}

const PODS: ResourceType = resources.pods;
const NODES: ResourceType = resources.nodes;
const SCALES: ResourceType = {
  group: 'autoscaling',
  version: 'v1',
  plural: 'scales',
  kind: 'Scale',
  isNamespaced: true,
};

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } as const;

/** Reads or changes the number of replicas of an object. */
function scale({ service }: ObjectHandlers, message: ApiRequest, request: ObjectRequest, context: RuleContext): object {
  const { type, verb } = request;
  const name = nameOf(request);
  const before = scaleOf(service.get(type, name));
  if (verb === 'get') return before;
  if (verb !== 'update' && verb !== 'patch') throw notAllowed();
  const body = parseBody(message) as IncomingObject;
  const contentType = (message.headers['content-type'] ?? '').split(';')[0]!.trim();
  const next = verb === 'update' ? body : applyPatch(SCALES, before, contentType, body);
  const { replicas = 0 } = (next.spec ?? {}) as { readonly replicas?: number };
  const change = {
    metadata: { resourceVersion: next.metadata?.resourceVersion },
    spec: { replicas },
  };
  const patch = { contentType: 'application/merge-patch+json', body: change };
  return scaleOf(service.patch(type, name, patch, undefined, context));
}

function scaleOf({ metadata, spec, status }: StoredObject): StoredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas, selector } = spec as { readonly replicas?: number; readonly selector?: LabelSelector };
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: replicas ?? 1 },
    status: {
      replicas: (status as { readonly replicas?: number } | undefined)?.replicas ?? 0,
      selector: labels.join(),
    },
  };
}

function read({ store, service, staleRevisions }: ObjectHandlers, request: ObjectRequest): StoredObject {
  const { type, query, namespace } = request;
  const name = nameOf(request);
  parseRevision(store, query.get('resourceVersion'));
  const behind = isFromCache(query) ? staleRevisions() : 0;
  const then =
    behind === 0
      ? undefined
      : store.listAt(type, Math.max(store.revision - behind, store.compactedRevision), namespace);
  return then?.find(({ metadata }) => metadata.name === name.name) ?? service.get(type, name);
}

/** Returns the header by which clients show warnings to their users. */
function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
}

/** Returns the table of one object. */
function tableOf(type: ResourceType, object: StoredObject, table: TableRequest, nowMs: number): object {
  const { resourceVersion } = object.metadata;
  return renderTable(type, [object], { resourceVersion }, table, nowMs);
}

function create(
  handlers: ObjectHandlers,
  message: ApiRequest,
  request: ObjectRequest,
  context: RuleContext,
): ApiResponse {
  const { service, store, clock } = handlers;
  const { type, namespace, subresource } = request;
  const object = parseBody(message) as IncomingObject;
  restrict(handlers, request, context.user, object);
  if (type.isVirtual === true) return jsonResponse(201, review(handlers, request, object));
  switch (subresource) {
    case undefined: {
      const warnings = checkFields(type, object, fieldValidationOf(request.query));
      const created = service.create(type, namespace ?? object.metadata?.namespace, object, context);
      return jsonResponse(201, created, warningHeaders(warnings));
    }
    case 'binding': {
      const pod = service.get(type, nameOf(request));
      store.write(type, boundPod(pod, object as unknown as Binding, clock.now()));
      return jsonResponse(201, { ...SUCCESS, code: 201 });
    }
    case 'eviction': {
      const { deleteOptions } = object as { readonly deleteOptions?: DeletionOptions };
      service.delete(type, nameOf(request), deleteOptions ?? {}, context);
      return jsonResponse(201, { ...SUCCESS, code: 201 });
    }
    case 'token':
      return jsonResponse(201, issueToken(handlers, request, object as unknown as AuthenticationV1TokenRequest));
    default:
      throw notAllowed();
  }
}

function issueToken(
  { service, store, tokens }: ObjectHandlers,
  request: ObjectRequest,
  body: AuthenticationV1TokenRequest,
): unknown {
  const account = service.get(request.type, nameOf(request));
  const bound = body.spec?.boundObjectRef;
  if (bound?.kind === 'Pod') {
    const pod = store.get(PODS, { namespace: request.namespace, name: bound.name ?? '' }) as unknown as Pod | undefined;
    if (pod === undefined)
      throw new ApiError('NotFound', `pods "${bound.name ?? ''}" not found`, { type: PODS, name: bound.name });
    if (bound.uid !== undefined && bound.uid !== pod.metadata?.uid) {
      throw new ApiError(
        'Conflict',
        `Operation cannot be fulfilled on Pod "${bound.name ?? ''}": the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
        { type: PODS, name: bound.name },
      );
    }
    if (pod.spec?.serviceAccountName !== account.metadata.name) {
      throw new ApiError(
        'BadRequest',
        `cannot bind token for serviceaccount "${account.metadata.name}" to pod running with different serviceaccount name.`,
      );
    }
  }
  return tokens.issue(account, body);
}

/** Answers a TokenReview or a SubjectAccessReview. */
function review({ tokens, authorize }: ObjectHandlers, { type }: ObjectRequest, object: IncomingObject): unknown {
  const head = { kind: type.kind, apiVersion: apiVersionOfType(type), metadata: { creationTimestamp: null } };
  if (type.plural === 'tokenreviews') {
    const { spec } = object as unknown as TokenReview;
    const claims = tokens.claimsOf(spec.token ?? '');
    const audiences =
      claims?.aud.filter((audience) => !spec.audiences?.length || spec.audiences.includes(audience)) ?? [];
    if (claims === undefined || audiences.length === 0)
      return { ...head, spec, status: { authenticated: false, error: 'invalid bearer token' } };
    const { name, uid, groups } = userOfClaims(claims);
    return { ...head, spec, status: { authenticated: true, user: { username: name, uid, groups }, audiences } };
  }
  const { spec } = object as unknown as SubjectAccessReview;
  const attributes = spec.resourceAttributes ?? {};
  const decision = authorize({
    user: { name: spec.user ?? '', groups: spec.groups ?? [] },
    verb: (attributes.verb ?? '') as Verb,
    group: attributes.group ?? '',
    resource: attributes.resource ?? '',
    subresource: attributes.subresource || undefined,
    namespace: attributes.namespace || undefined,
    name: attributes.name || undefined,
    fields: {},
  });
  return {
    ...head,
    spec,
    status: decision.isAllowed ? { allowed: true } : { allowed: false, reason: decision.reason },
  };
}

function restrict(
  { isNodeRestricted, store }: ObjectHandlers,
  request: ObjectRequest,
  user: User,
  object: IncomingObject | undefined,
): void {
  const node = nodeOf(user);
  if (!isNodeRestricted || node === undefined) return;
  const previous = request.name === undefined ? undefined : store.get(request.type, nameOf(request));
  const boundPod = request.subresource === 'token' ? boundPodOf(store, request, object) : undefined;
  restrictNode({ node, request, object, previous, boundPod });
}

/** Returns the pod to which a requested token is bound, if it exists. */
function boundPodOf(
  store: ObjectStore,
  { namespace }: ObjectRequest,
  object: IncomingObject | undefined,
): StoredObject | undefined {
  const { name } = (object as AuthenticationV1TokenRequest | undefined)?.spec?.boundObjectRef ?? {};
  return name === undefined ? undefined : store.get(PODS, { namespace, name });
}

function nameOf({ namespace, name }: ObjectRequest): ObjectName {
  return { namespace, name: name ?? '' };
}

function isFromCache(query: URLSearchParams): boolean {
  return query.get('resourceVersion') === '0';
}

function deletionOptions(message: ApiRequest, query: URLSearchParams): DeletionOptions {
  const body = message.body === undefined || message.body === '' ? {} : (parseBody(message) as DeletionOptions);
  const seconds = query.get('gracePeriodSeconds');
  return { ...body, ...(seconds !== null && { gracePeriodSeconds: Number(seconds) }) };
}

function parseBody({ body = '', headers }: ApiRequest): unknown {
  if (headers['content-type']?.startsWith('application/vnd.kubernetes.protobuf') === true) {
    throw new ApiError(
      'UnsupportedMediaType',
      'this server reads this kind of object as JSON only, not as Protocol Buffers',
    );
  }
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below, like any other body that is no object.
  }
  throw new ApiError('BadRequest', 'the object provided is unrecognized (must be of type JSON)');
}

function notAllowed(): ApiError {
  return new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
}
