import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** An object with an id and a name of which only one may exist at a time. */
export interface Named {
  /** 64 hex digits. */
  readonly id: string;
  /** Name that is reserved while the object exists. */
  readonly name: string;
}

/** Existing sandboxes or containers, by id, with their reserved names. */
export interface NamedStore<T extends Named> {
  /** Throws AlreadyExists when `name` belongs to an existing object. */
  checkNameIsFree(name: string): void;
  /** Adds `object` and reserves its name; throws as {@link checkNameIsFree}. */
  add(object: T): void;
  /** Returns the object with this id, or with the only id of this prefix (command-line tools abbreviate ids). Throws InvalidArgument when several have it. */
  find(id: string): T | undefined;
  /** As {@link find}; throws NotFound when there is none. */
  get(id: string): T;
  /** Removes the object and frees its name. */
  delete(object: T): void;
  /** Returns all objects, the oldest first. */
  values(): Iterable<T>;
  readonly size: number;
}

/** Creates a {@link NamedStore}; `kind` names the objects in error messages. */
export function createNamedStore<T extends Named>(kind: string): NamedStore<T> {
  const byId = new Map<string, T>();
  const byName = new Map<string, T>();

  const checkNameIsFree = (name: string): void => {
    const owner = byName.get(name);
    if (owner === undefined) return;
    throw new ServiceError(
      StatusCode.AlreadyExists,
      `failed to reserve ${kind} name "${name}": name "${name}" is reserved for "${owner.id}"`,
    );
  };
  const findByPrefix = (prefix: string): T | undefined => {
    if (prefix === '') return undefined;
    let found: T | undefined;
    for (const [id, object] of byId) {
      if (!id.startsWith(prefix)) continue;
      if (found !== undefined)
        throw new ServiceError(StatusCode.InvalidArgument, `several ${kind} ids begin with "${prefix}"`);
      found = object;
    }
    return found;
  };
  const find = (id: string): T | undefined => byId.get(id) ?? findByPrefix(id);

  return {
    checkNameIsFree,
    add(object) {
      checkNameIsFree(object.name);
      byId.set(object.id, object);
      byName.set(object.name, object);
    },
    find,
    get(id) {
      const object = find(id);
      if (object === undefined) throw new ServiceError(StatusCode.NotFound, `${kind} "${id}" not found`);
      return object;
    },
    delete(object) {
      byId.delete(object.id);
      byName.delete(object.name);
    },
    values: () => byId.values(),
    get size() {
      return byId.size;
    },
  };
}
