import { type CollectionKey, contribute, type Contribution } from '@rxlet/agent-api';
import { ModuleError } from './module-error.ts';

/** Contributions of an agent's modules by collection. */
export interface Contributions {
  /** Returns the contributions to a collection so far. The list grows while modules are set up. */
  of<T>(key: CollectionKey<T>): readonly T[];
  /**
   * Adds the contributions of a module.
   *
   * @throws ModuleError for a collection that nothing runs, for a member that does not exist, and for a second owner of a thing that has one
   */
  add(moduleName: string, contributions: readonly Contribution[] | undefined): void;
}

/** Creates an empty set of contributions. @param collected collections that the core and the modules of the agent run */
export function createContributions(collected: ReadonlySet<CollectionKey<unknown>>): Contributions {
  const lists = new Map<CollectionKey<unknown>, unknown[]>();
  /** Thing with one owner → the module that contributes it. */
  const owners = new Map<string, string>();

  const listOf = (key: CollectionKey<unknown>): unknown[] => {
    let list = lists.get(key);
    if (list === undefined) lists.set(key, (list = []));
    return list;
  };
  const own = (moduleName: string, thing: string): void => {
    const other = owners.get(thing);
    if (other !== undefined) {
      const message = `cannot set up module "${moduleName}": module "${other}" contributes the ${thing} already; list one of them`;
      throw new ModuleError('DuplicateContribution', message);
    }
    owners.set(thing, moduleName);
  };

  return {
    of: <T>(key: CollectionKey<T>) => listOf(key) as readonly unknown[] as readonly T[],
    add(moduleName, contributions = []) {
      for (const { key, items } of contributions.map(checked(moduleName))) {
        if (!collected.has(key) && key.isOptional !== true) {
          const message = `cannot set up module "${moduleName}": it contributes to the collection "${key.name}", which no module runs; add a module that does`;
          throw new ModuleError('MissingCollection', message);
        }
        for (const thing of items.flatMap((item) => key.owns?.(item) ?? [])) own(moduleName, thing);
        listOf(key).push(...items);
      }
    },
  };
}

/** Returns a check for modules that are not type-checked. */
function checked(moduleName: string): (contribution: Contribution) => Contribution {
  const reject = (problem: string): never => {
    throw new ModuleError('UnknownContribution', `cannot set up module "${moduleName}": ${problem}`);
  };
  return (contribution) => {
    const { key, items } = contribution as Partial<Contribution>;
    if (typeof key?.name !== 'string' || !Array.isArray(items)) {
      return reject(`one of its contributions has no collection; create it with ${contribute.name}(key, …)`);
    }
    for (const item of items as readonly unknown[]) {
      const unknown = unknownMember(item, key.members);
      if (unknown === undefined) continue;
      reject(`unknown member "${unknown}" in a contribution to "${key.name}"; there are ${key.members!.join(', ')}`);
    }
    return contribution;
  };
}

/** Returns a member of a plain object that is not in the list. An instance of a class may have members of its own. */
function unknownMember(item: unknown, members: readonly string[] | undefined): string | undefined {
  if (members === undefined || typeof item !== 'object' || item === null) return undefined;
  if (Object.getPrototypeOf(item) !== Object.prototype) return undefined;
  return Object.keys(item).find((member) => !members.includes(member));
}
