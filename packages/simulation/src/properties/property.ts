import type { History } from '../history/history.ts';

/** A violation of a property. */
export interface Violation {
  /** Name of the property. */
  readonly property: string;
  readonly atMs: number;
  /** Description in a line. */
  readonly text: string;
}

/** A rule that each history keeps. */
export interface Property {
  readonly name: string;
  /** Returns the violations in the order of time. */
  check(history: History): Iterable<Omit<Violation, 'property'>>;
}

/** Returns the violations of properties, in the order of time. */
export function checkProperties(properties: readonly Property[], history: History): readonly Violation[] {
  return properties
    .flatMap(({ name, check }) => Array.from(check(history), (violation) => ({ property: name, ...violation })))
    .toSorted((a, b) => a.atMs - b.atMs);
}
