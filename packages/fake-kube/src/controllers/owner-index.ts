import { keyOf, type StoredObject } from '../api-object.ts';
import { qualifiedName, type ResourceType } from '../resource-type.ts';

/** An object that another one owns. */
export interface Dependent {
  readonly type: ResourceType;
  readonly object: StoredObject;
}

/** Objects by the UIDs of their owners, kept up to date by changes. */
export interface OwnerIndex {
  changed(type: ResourceType, object: StoredObject | undefined, previous: StoredObject | undefined): void;
  /** Returns the objects of a resource that an owner has. */
  ownedBy(type: ResourceType, uid: string): readonly StoredObject[];
  /** Returns all objects that an owner has. */
  dependentsOf(uid: string): readonly Dependent[];
  exists(uid: string): boolean;
}

/** Creates an empty {@link OwnerIndex}. */
export function createOwnerIndex(): OwnerIndex {
  const byOwner = new Map<string, Map<string, Dependent>>();
  const uids = new Set<string>();
  return {
    changed(type, object, previous) {
      const id = `${qualifiedName(type)} ${keyOf((object ?? previous)!.metadata)}`;
      if (previous !== undefined) {
        uids.delete(previous.metadata.uid);
        for (const uid of ownersOf(previous)) {
          const owned = byOwner.get(uid);
          owned?.delete(id);
          if (owned?.size === 0) byOwner.delete(uid);
        }
      }
      if (object === undefined) return;
      uids.add(object.metadata.uid);
      for (const uid of ownersOf(object)) {
        const owned = byOwner.get(uid) ?? new Map<string, Dependent>();
        byOwner.set(uid, owned);
        owned.set(id, { type, object });
      }
    },
    ownedBy: (type, uid) =>
      [...(byOwner.get(uid)?.values() ?? [])].filter((each) => each.type === type).map(({ object }) => object),
    dependentsOf: (uid) => [...(byOwner.get(uid)?.values() ?? [])],
    exists: (uid) => uids.has(uid),
  };
}

function ownersOf({ metadata }: StoredObject): readonly string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
