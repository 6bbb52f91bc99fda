declare const serviceType: unique symbol;

/**
 * Names a service that one module provides and others use. The key object itself is the identity: two keys with equal names are different keys.
 */
export interface ServiceKey<out T> {
  /** Appears in error messages. */
  readonly name: string;
  readonly [serviceType]?: T;
}

/**
 * Creates a key for a service of type `T`. Export the key from the package that owns the service's type.
 *
 * @example
 * ```ts
 * import { type AgentModule, provide, serviceKey } from '@rxlet/agent-api';
 *
 * const podBudget = serviceKey<{ left(): number }>('pod budget');
 *
 * export const budget = (pods: number): AgentModule => ({
 *   name: 'budget',
 *   setup: ({ core }) => ({ services: [provide(podBudget, { left: () => pods - core.activePods().length })] }),
 * });
 * ```
 */
export function serviceKey<T>(name: string): ServiceKey<T> {
  return { name };
}

/** A service together with its key; see {@link provide}. */
export interface ProvidedService {
  readonly key: ServiceKey<unknown>;
  readonly service: unknown;
}

/** Pairs a service with its key, for the `services` of a module's parts. */
export function provide<T>(key: ServiceKey<T>, service: T): ProvidedService {
  return { key, service };
}

/** Services of other modules, as far as the module declares that it needs or uses them. */
export interface ServiceLookup {
  /** Returns a service that the module lists in `needs`. @throws TypeError for a key that is not listed there */
  get<T>(key: ServiceKey<T>): T;
  /** Returns a service that the module lists in `needs` or `uses`; `undefined` when no module provides it. @throws TypeError for a key that is not listed */
  find<T>(key: ServiceKey<T>): T | undefined;
}
