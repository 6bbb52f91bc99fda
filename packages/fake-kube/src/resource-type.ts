import { apiVersionOf } from '@rxlet/kube-api/resources';
import { findTypeName } from '@rxlet/kube-api/tables';
import type { ValueTable } from '@rxlet/kube-api/tables';
import type { StoredObject } from './api-object.ts';

/** A resource that the server offers. */
export interface ResourceType {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Name in paths, such as `pods`. */
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Last elements of the paths below an object, such as `status`. */
  readonly subresources?: readonly string[];
  /** Changes of the spec count in `metadata.generation`. */
  readonly hasGeneration?: boolean;
  /** The status of a new object stays; by default the server clears it if there is a subresource `status`. */
  readonly keepsStatusOnCreate?: boolean;
  /** Names are any part of a path, and no DNS names. */
  readonly hasPathNames?: boolean;
  /** Types of fields of the spec, by their names, of a kind whose own fields have no types here. */
  readonly specParts?: Readonly<Record<string, ValueTable>>;
  /** The resource has no stored objects: a POST is answered at once, as for reviews. */
  readonly isVirtual?: boolean;
  /** Returns the fields that a field selector may use, beside name and namespace. */
  readonly selectableFields?: (object: StoredObject) => Readonly<Record<string, string>>;
}

/** Returns the name of a resource in messages: `pods`, `leases.coordination.k8s.io`. */
export function qualifiedName({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Returns the `apiVersion` of the objects. */
export function apiVersionOfType(type: ResourceType): string {
  return apiVersionOf(type);
}

/** Returns the types of the fields, for strategic merge patches; `undefined` for a kind without a table. */
export function shapeOfType(type: ResourceType): ValueTable | undefined {
  const ref = findTypeName(apiVersionOf(type), type.kind);
  return ref && { type: 'object-ref', ref };
}
