import type { Clock, Random } from '@rxlet/component-base';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import { admin } from '../auth/user.ts';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import { boundPod } from '../rules/pod-rules.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ObjectService } from './object-service.ts';

/** Objects of a `FakeKube`, as a test reads and changes them. Failures are an `ApiError`. */
export interface FakeObjects {
  get(resource: ResourceName, name: string, namespace?: string): StoredObject | undefined;
  list(resource: ResourceName, namespace?: string): readonly StoredObject[];
  /** Creates an object in the namespace of its metadata. */
  create(resource: ResourceName, object: IncomingObject): StoredObject;
  /** Creates an object, whose apiVersion and kind name its resource; the namespace defaults to `default`. Its status is kept. */
  apply(object: IncomingObject): StoredObject;
  /** Applies a JSON merge patch to an object, or to one of its subresources. */
  merge(
    resource: ResourceName,
    name: string,
    namespace: string | undefined,
    patch: object,
    subresource?: string,
  ): StoredObject;
  /** Deletes as a user does: pods get their grace period. */
  delete(resource: ResourceName, name: string, namespace?: string, gracePeriodSeconds?: number): void;
  /** Binds a pod to a node, as a scheduler does. */
  bind(namespace: string, pod: string, node: string): void;
}

/** A resource by its group and plural name. */
export type ResourceName = Pick<ResourceType, 'group' | 'plural'>;

/** Parts of the server that {@link createFakeObjects} uses. */
export interface FakeObjectsPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ObjectStore;
  readonly service: ObjectService;
}

/** Returns the type of a resource. Throws a `TypeError` when there is none. */
export function findType(types: readonly ResourceType[], { group, plural }: ResourceName): ResourceType {
  const found = types.find((type) => type.group === group && type.plural === plural);
  if (found === undefined) throw new TypeError(`there is no resource "${plural}" in group "${group}"`);
  return found;
}

/** Creates {@link FakeObjects}, which act as an administrator. */
export function createFakeObjects(
  { clock, random, store, service }: FakeObjectsPorts,
  types: readonly ResourceType[],
): FakeObjects {
  const context = { clock, random, user: admin };
  const typeOf = (resource: ResourceName): ResourceType => findType(types, resource);
  const pods = typeOf({ group: '', plural: 'pods' });

  const createByKind = (object: IncomingObject): StoredObject => {
    const { apiVersion = '', kind = '' } = object;
    const type = types.find((each) => each.kind === kind && apiVersionOfType(each) === apiVersion);
    if (type === undefined) throw new TypeError(`there is no kind "${kind}" in "${apiVersion}"`);
    // A file of objects may name the namespaces that each cluster has.
    const known =
      kind === 'Namespace' && type.group === '' ? store.get(type, { name: object.metadata?.name ?? '' }) : undefined;
    if (known !== undefined) return known;
    const namespace = type.isNamespaced ? (object.metadata?.namespace ?? 'default') : undefined;
    const created = service.create(type, namespace, object, context);
    return object.status === undefined ? created : store.write(type, { ...created, status: object.status });
  };

  return {
    get: (resource, name, namespace) => store.get(typeOf(resource), { namespace, name }),
    list: (resource, namespace) => store.list(typeOf(resource), namespace),
    create: (resource, object) => service.create(typeOf(resource), object.metadata?.namespace, object, context),
    apply: createByKind,
    merge: (resource, name, namespace, body, subresource) =>
      service.patch(
        typeOf(resource),
        { namespace, name },
        { contentType: 'application/merge-patch+json', body },
        subresource,
        context,
      ),
    delete: (resource, name, namespace, gracePeriodSeconds) =>
      void service.delete(typeOf(resource), { namespace, name }, { gracePeriodSeconds }, context),
    bind: (namespace, name, node) =>
      void store.write(pods, boundPod(service.get(pods, { namespace, name }), { target: { name: node } }, clock.now())),
  };
}
