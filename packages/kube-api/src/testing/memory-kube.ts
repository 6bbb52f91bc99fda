import type { KubeResource } from '../resources.ts';
import { applyStrategicMerge, type JsonObject } from '../strategic-merge.ts';
import { findTypeName } from '../tables.ts';
import { Observable, Subject } from 'rxjs';
import {
  KubeError,
  type KubeClient,
  type KubeClients,
  type KubeObject,
  type ListSelector,
  type ObjectChange,
  type ObjectRef,
  type ObjectWatch,
} from '../client/kube-client.ts';

/** A request to a {@link MemoryKube}. */
export interface KubeRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'watch';
  /** Plural of the resource, and its subresource: `pods/status`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly body?: unknown;
}

/** Objects in memory behind the client port: optimistic locking, preconditions and watches, but no API rules. For tests of parts that use a {@link KubeClient}. */
export interface MemoryKube extends KubeClients {
  /** All requests in order. */
  readonly requests: readonly KubeRequest[];
  /** Handles each request before it takes effect; a throw fails it. Default: nothing. */
  onRequest: ((request: KubeRequest) => void | Promise<void>) | undefined;
  /** Answers requests to subresources that create something. Default: they fail with `NotFound`. */
  onCreateSubresource: ((request: KubeRequest) => unknown) | undefined;
  /** Stores an object as someone else would, and informs the watches. */
  put<T extends KubeObject>(resource: KubeResource<T>, object: T): T;
  /** Returns a stored object. */
  peek<T extends KubeObject>(resource: KubeResource<T>, ref: ObjectRef): T | undefined;
  /** Removes an object as someone else would, and informs the watches. */
  remove(resource: KubeResource<unknown>, ref: ObjectRef): void;
  /** Number of watches that are open. */
  readonly openWatches: number;
}

interface Stored {
  readonly resource: KubeResource<unknown>;
  readonly object: KubeObject;
}

/** Creates an empty {@link MemoryKube}. */
export function createMemoryKube(): MemoryKube {
  const objects = new Map<string, Stored>();
  const requests: KubeRequest[] = [];
  const changes = new Subject<{ key: string; before: Stored | undefined; after: Stored | undefined }>();
  let version = 0;
  let openWatches = 0;
  const keyOf = (resource: KubeResource<unknown>, { name, namespace = '' }: ObjectRef): string =>
    [resource.group, resource.plural, resource.isNamespaced ? namespace : '', name].join('|');
  const refOf = ({ metadata }: KubeObject): ObjectRef => ({
    name: metadata?.name ?? '',
    namespace: metadata?.namespace,
  });

  const store = (resource: KubeResource<unknown>, object: KubeObject): KubeObject => {
    const key = keyOf(resource, refOf(object));
    const before = objects.get(key);
    version += 1;
    const metadata = {
      ...object.metadata,
      uid: before?.object.metadata?.uid ?? object.metadata?.uid ?? `uid-${String(version)}`,
      resourceVersion: String(version),
    };
    const after = { resource, object: { ...structuredClone(object), metadata } };
    objects.set(key, after);
    changes.next({ key, before, after });
    return after.object;
  };
  const drop = (key: string): void => {
    const before = objects.get(key);
    if (!objects.delete(key)) return;
    changes.next({ key, before, after: undefined });
  };
  const found = (resource: KubeResource<unknown>, ref: ObjectRef): Stored => {
    const stored = objects.get(keyOf(resource, ref));
    if (stored === undefined)
      throw new KubeError('NotFound', `${resource.plural} "${ref.name}" not found`, { code: 404 });
    return stored;
  };
  const handle = async (request: KubeRequest): Promise<void> => {
    requests.push(structuredClone(request));
    await memory.onRequest?.(request);
  };

  const client: KubeClient = {
    async get<T extends KubeObject>(resource: KubeResource<T>, ref: ObjectRef) {
      await handle({ verb: 'get', resource: resource.plural, ...ref });
      return found(resource, ref).object as T;
    },
    async list<T extends KubeObject>(resource: KubeResource<T>, options: ListSelector = {}) {
      await handle({ verb: 'list', resource: resource.plural });
      const items = [...objects.values()].filter((stored) => isSelected(stored, resource, options));
      return { resourceVersion: String(version), items: items.map(({ object }) => object as T) };
    },
    async create<T extends KubeObject>(resource: KubeResource<T>, object: T) {
      const ref = refOf(object);
      await handle({ verb: 'create', resource: resource.plural, ...ref, body: object });
      if (objects.has(keyOf(resource, ref)))
        throw new KubeError('AlreadyExists', `${resource.plural} "${ref.name}" already exists`, { code: 409 });
      // The API server assigns a UID of its own.
      const { uid: _ignored, ...metadata } = object.metadata ?? {};
      return store(resource, { ...object, metadata }) as T;
    },
    async createSubresource(subresource, ref, body) {
      const request = {
        verb: 'create',
        resource: `${subresource.resource.plural}/${subresource.name}`,
        ...ref,
        body,
      } as const;
      await handle(request);
      if (memory.onCreateSubresource === undefined)
        throw new KubeError('NotFound', 'the server could not find the requested resource', { code: 404 });
      return memory.onCreateSubresource(request) as never;
    },
    async update<T extends KubeObject>(
      resource: KubeResource<T>,
      object: T,
      options: { subresource?: string | undefined } = {},
    ) {
      const ref = refOf(object);
      await handle({ verb: 'update', resource: pathOf(resource, options.subresource), ...ref, body: object });
      const { metadata } = found(resource, ref).object;
      const wanted = object.metadata?.resourceVersion;
      if (wanted !== undefined && wanted !== metadata?.resourceVersion) throw conflict(resource, ref);
      return store(resource, object) as T;
    },
    async patch<T extends KubeObject>(
      resource: KubeResource<T>,
      ref: ObjectRef,
      { type, body }: { readonly type: string; readonly body: object },
      options: { subresource?: string | undefined } = {},
    ) {
      await handle({ verb: 'patch', resource: pathOf(resource, options.subresource), ...ref, body });
      if (type !== 'strategic') throw new TypeError(`cannot apply a ${type} patch`);
      const { object } = found(resource, ref);
      const uid = (body as KubeObject).metadata?.uid;
      if (uid !== undefined && uid !== object.metadata?.uid) throw conflict(resource, ref);
      const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
      const typeName = findTypeName(apiVersion, resource.kind);
      const shape = typeName === undefined ? undefined : ({ type: 'object-ref', ref: typeName } as const);
      return store(resource, applyStrategicMerge(object as JsonObject, body as JsonObject, shape)) as T;
    },
    async delete(resource, ref, options = {}) {
      const { gracePeriodSeconds, preconditions } = options;
      await handle({ verb: 'delete', resource: resource.plural, ...ref, body: { gracePeriodSeconds, preconditions } });
      const { object } = found(resource, ref);
      if (preconditions?.uid !== undefined && preconditions.uid !== object.metadata?.uid) throw conflict(resource, ref);
      drop(keyOf(resource, ref));
    },
    async deleteCollection(resource, options) {
      await handle({ verb: 'delete', resource: resource.plural });
      for (const [key, stored] of objects) if (isSelected(stored, resource, options)) drop(key);
    },
    watch: <T extends KubeObject>(resource: KubeResource<T>, options: ListSelector = {}) => watch(resource, options),
  };

  function watch<T extends KubeObject>(resource: KubeResource<T>, options: ListSelector): ObjectWatch<T> {
    const emitted = new Subject<ObjectChange<T>>();
    let started = false;
    let disposed = false;
    const list = (): readonly T[] =>
      started
        ? [...objects.values()]
            .filter((stored) => isSelected(stored, resource, options))
            .map(({ object }) => object as T)
        : [];
    const subscription = changes.subscribe({
      next({ before, after }) {
        if (!started) return;
        const was = before !== undefined && isSelected(before, resource, options);
        const is = after !== undefined && isSelected(after, resource, options);
        if (was && is) emitted.next({ type: 'modified', object: after.object as T, previous: before.object as T });
        else if (is) emitted.next({ type: 'added', object: after.object as T });
        else if (was) emitted.next({ type: 'deleted', object: before.object as T });
      },
      error: (error: unknown) => emitted.error(error),
    });
    return {
      start() {
        if (started || disposed) return;
        requests.push({ verb: 'watch', resource: resource.plural, name: options.fieldSelector });
        started = true;
        openWatches += 1;
        emitted.next({ type: 'snapshot', objects: list() });
      },
      get isSynced() {
        return started;
      },
      list,
      find(ref) {
        const stored = started ? objects.get(keyOf(resource, ref)) : undefined;
        return stored !== undefined && isSelected(stored, resource, options) ? (stored.object as T) : undefined;
      },
      changes$: new Observable((subscriber) => {
        if (started) subscriber.next({ type: 'snapshot', objects: list() });
        return emitted.subscribe(subscriber);
      }),
      problem: undefined,
      async [Symbol.asyncDispose]() {
        if (started && !disposed) openWatches -= 1;
        disposed = true;
        subscription.unsubscribe();
        emitted.complete();
      },
    };
  }

  const memory: MemoryKube = {
    main: client,
    events: client,
    heartbeats: client,
    reviews: client,
    requests,
    onRequest: undefined,
    onCreateSubresource: undefined,
    put: (resource, object) => store(resource, object) as typeof object,
    peek: <T extends KubeObject>(resource: KubeResource<T>, ref: ObjectRef) =>
      objects.get(keyOf(resource, ref))?.object as T | undefined,
    remove: (resource, ref) => drop(keyOf(resource, ref)),
    get openWatches() {
      return openWatches;
    },
  };
  return memory;
}

function pathOf({ plural }: KubeResource<unknown>, subresource: string | undefined): string {
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

function conflict({ plural }: KubeResource<unknown>, { name }: ObjectRef): KubeError {
  return new KubeError('Conflict', `operation cannot be fulfilled on ${plural} "${name}"`, { code: 409 });
}

function isSelected({ resource, object }: Stored, wanted: KubeResource<unknown>, selector: ListSelector): boolean {
  if (resource.group !== wanted.group || resource.plural !== wanted.plural) return false;
  if (selector.namespace !== undefined && selector.namespace !== object.metadata?.namespace) return false;
  return (selector.fieldSelector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .every((term) => matchesField(object, term));
}

/** Reports whether an object has the value of a term such as `metadata.name=x` or `spec.clusterIP!=None`. */
function matchesField(object: KubeObject, term: string): boolean {
  const [, path = '', operator, value] = /^([^!=]+)(!?=)(.*)$/.exec(term) ?? [];
  const field = path.split('.').reduce<unknown>((part, key) => (part as JsonObject | undefined)?.[key], object) ?? '';
  return operator === '!=' ? field !== value : field === value;
}
