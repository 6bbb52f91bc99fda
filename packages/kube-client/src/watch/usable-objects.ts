import type { KubeObject, ObjectRef } from '@rxlet/kube-api/client';
import type { Logger } from '@rxlet/component-base';
import { apiVersionOf, type KubeResource } from '@rxlet/kube-api/resources';
import { shapeProblem, withoutNulls } from '@rxlet/kube-api/shape';
import { findTable } from '@rxlet/kube-api/tables';

/** Replaces objects of a wrong shape by their last good version, because one malformed object must affect no other, and removes fields that are null. */
export interface UsableObjects<T> {
  /** Returns the object without nulls, its last good version, or `undefined` when there is none. Logs a problem once. */
  use(object: T): T | undefined;
  /** The object is gone. */
  forget(object: T): void;
  /** Returns the objects of a complete list that can be used. */
  useAll(objects: readonly T[]): readonly T[];
}

/** Creates {@link UsableObjects} for the kind of a resource. `find` returns the last good version. */
export function createUsableObjects<T extends KubeObject>(
  resource: KubeResource<T>,
  find: (ref: ObjectRef) => T | undefined,
  logger: Pick<Logger, 'warn' | 'debug'>,
): UsableObjects<T> {
  const table = findTable(apiVersionOf(resource), resource.kind);
  /** Problems of the objects that are there now, by name. */
  let problems = new Map<string, string>();

  const use = (object: T): T | undefined => {
    const key = keyOf(object);
    const problem = table && shapeProblem(object, table);
    if (problem === undefined) {
      problems.delete(key);
      return table === undefined ? object : withoutNulls(object, table);
    }
    const log = problems.get(key) === problem ? logger.debug : logger.warn;
    log('cannot use an object of the API server; its last good version stays', { object: key, error: problem });
    problems.set(key, problem);
    const { name = '', namespace } = object.metadata ?? {};
    return find({ name, namespace });
  };

  return {
    use,
    forget: (object) => void problems.delete(keyOf(object)),
    useAll(objects) {
      const names = new Set(objects.map(keyOf));
      problems = new Map([...problems].filter(([key]) => names.has(key)));
      return objects.map(use).filter((object) => object !== undefined);
    },
  };
}

function keyOf({ metadata }: KubeObject): string {
  return metadata?.namespace ? `${metadata.namespace}/${metadata.name ?? ''}` : (metadata?.name ?? '');
}
