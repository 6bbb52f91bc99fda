declare const contributionType: unique symbol;

/**
 * Names a collection: contributions of one kind that many modules make and one part of the agent runs. The key object itself is the identity: two keys with
 * equal names are different keys.
 */
export interface CollectionKey<T> extends CollectionOptions<T> {
  /** Appears in error messages. */
  readonly name: string;
  readonly [contributionType]?: T;
}

/** Rules of a collection. */
export interface CollectionOptions<T> {
  /**
   * Whether contributions are dropped in an agent where nothing runs the collection. Default false: such an agent cannot be created. Choose true for what
   * only shows the agent's state, such as HTTP endpoints.
   */
  readonly isOptional?: boolean;
  /** All members of a contribution, where some are optional: a misspelled one fails the creation of the agent. Default: members are not checked. */
  readonly members?: readonly string[];
  /** Returns the things of which a contribution is the only owner, such as `endpoint /pods`. A second owner keeps the agent from being created. */
  owns?(contribution: T): readonly string[];
}

/**
 * Creates a key for a collection of contributions of type `T`. Export the key from the package that owns the contributions' type, and list it in `collects`
 * of the module that runs them.
 *
 * @example
 * ```ts
 * import { type AgentModule, collectionKey, contribute } from '@rxlet/agent-api';
 *
 * // Checks of a custom agent: one module runs them, others contribute them.
 * const diskChecks = collectionKey<() => string | undefined>('disk checks');
 *
 * export const smart: AgentModule = {
 *   name: 'smart',
 *   setup: () => ({ contributions: [contribute(diskChecks, () => undefined)] }),
 * };
 * ```
 */
export function collectionKey<T>(name: string, options: CollectionOptions<T> = {}): CollectionKey<T> {
  return { name, ...options };
}

/** Contributions together with the key of their collection; see {@link contribute}. */
export interface Contribution {
  readonly key: CollectionKey<unknown>;
  readonly items: readonly unknown[];
}

/** Pairs contributions with their collection, for the `contributions` of a module's parts. */
export function contribute<T>(key: CollectionKey<T>, ...items: readonly NoInfer<T>[]): Contribution {
  return { key, items };
}

/** Collections that a module runs, as far as it lists them in `collects`. */
export interface CollectionLookup {
  /**
   * Returns the contributions in the order of the modules' set-up. The list grows while modules are set up, and is complete when they start.
   *
   * @throws TypeError for a key that is not listed in `collects`
   */
  of<T>(key: CollectionKey<T>): readonly T[];
}
