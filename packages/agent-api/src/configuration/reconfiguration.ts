import { collectionKey, type CollectionKey } from '../collection-key.ts';

/** Applies new options to a module while the agent runs. */
export interface Reconfiguration {
  /** Name of the module. */
  readonly name: string;
  /**
   * Applies the options that the module's configuration returned for a changed configuration, as far as they are of its reloadable fields.
   *
   * @throws Error for options that cannot be used; the module then goes on with those before
   */
  apply(options: unknown): void;
}

/** Modules whose options can change while the agent runs. The program decides when they do, such as at a signal. */
export const reconfigurations: CollectionKey<Reconfiguration> = collectionKey('reconfigurations');

/** Creates a {@link Reconfiguration} for the options that a module is created with. */
export function reconfiguration<Options>(name: string, apply: (options: Options) => void): Reconfiguration {
  return { name, apply: (options) => apply(options as Options) };
}
