import { firstLine } from './printable.ts';

/** A table that is written piece by piece. */
export interface Table {
  /** The lines of further rows; the first call begins with the header. */
  format(rows: readonly (readonly string[])[]): string[];
}

/** Creates a {@link Table}. Columns are three spaces apart, as kubectl has them, and as wide as their widest cell so far. */
export function createTable(header: readonly string[]): Table {
  const widths = header.map((title) => title.length);
  let isHeaded = false;
  return {
    format(rows) {
      const cells = rows.map((row) => row.map(firstLine));
      for (const row of cells)
        for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
      const lines = isHeaded ? cells : [header, ...cells];
      isHeaded = true;
      return lines.map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('   ')
          .trimEnd(),
      );
    },
  };
}

/** The lines of a whole table, header first. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return createTable(header).format(rows);
}
