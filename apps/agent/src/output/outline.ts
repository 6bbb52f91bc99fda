import { printable } from './printable.ts';

/** A line of `describe`: a title with a value, with what belongs to it below, or both. */
export interface OutlineEntry {
  readonly title: string;
  /** May have several lines. An entry without a value and without children is left out. */
  readonly value?: string | undefined;
  /** Entries or bare lines. */
  readonly below?: readonly (OutlineEntry | string)[];
}

/** Lays out entries as kubectl does: two spaces in per level, values in a column of their own. */
export function formatOutline(entries: readonly (OutlineEntry | string)[], indent = '', columnAbove = 0): string[] {
  const shown = entries.filter((entry) => typeof entry === 'string' || entry.value || entry.below?.length);
  const ownColumn = shown.map((entry) =>
    typeof entry === 'string' || !entry.value ? 0 : indent.length + entry.title.length + 3,
  );
  const column = Math.max(columnAbove, ...ownColumn);
  return shown.flatMap((entry) => {
    if (typeof entry === 'string')
      return printable(entry.trimEnd())
        .split('\n')
        .map((line) => `${indent}${line}`.trimEnd());
    const { title, value, below = [] } = entry;
    const head = `${indent}${title}:`;
    const [first = '', ...others] = value ? printable(value).split('\n') : [];
    return [
      // What belongs to a value stands in its column.
      value ? `${head.padEnd(column)}${first}` : head,
      ...others.map((line) => `${' '.repeat(column)}${line}`.trimEnd()),
      ...formatOutline(below, `${indent}  `, value ? column : 0),
    ];
  });
}
