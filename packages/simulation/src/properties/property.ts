import { type History, historiesOfNodes } from '../history/history.ts';

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
  /** Whether it concerns the history of each node, or that of the whole world. Default: `node`. */
  readonly scope?: 'node' | 'world';
  /** Returns the violations in the order of time. */
  check(history: History): Iterable<Omit<Violation, 'property'>>;
}

/** Returns the violations of properties, in the order of time. */
export function checkProperties(properties: readonly Property[], history: History): readonly Violation[] {
  const nodes = historiesOfNodes(history);
  return properties
    .flatMap(({ name, scope, check }) =>
      [...(scope === 'world' ? new Map([['', history]]) : nodes)].flatMap(([node, own]) =>
        Array.from(check(own), ({ atMs, text }) => ({
          property: name,
          atMs,
          text: node === '' ? text : `${node}: ${text}`,
        })),
      ),
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}
