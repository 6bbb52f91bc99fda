import { painted, type Tone } from './colors.ts';
import { firstLine } from './printable.ts';

/** A cell of a table: its text, perhaps with a meaning that a colour shows. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

/** A table that is written piece by piece. */
export interface Table {
  /** The lines of further rows; the first call begins with the header. */
  format(rows: readonly (readonly Cell[])[]): string[];
}

/** Options of {@link createTable}. */
export interface TableOptions {
  /** Default: the first line is the header. */
  readonly noHeaders?: boolean | undefined;
  /** Whether cells with a tone are coloured. Default: no. */
  readonly colors?: boolean | undefined;
}

const GAP = '   ';

/** Creates a {@link Table}. Columns are three spaces apart, as kubectl has them, and as wide as their widest cell so far. */
export function createTable(
  header: readonly string[],
  { noHeaders = false, colors = false }: TableOptions = {},
): Table {
  const widths = header.map((title) => (noHeaders ? 0 : title.length));
  let isHeaded = noHeaders;
  return {
    format(rows) {
      const cells = rows.map((row) => row.map(plainCell));
      for (const row of cells)
        for (const [column, { text }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
      const titles = header.map((text) => ({ text, tone: undefined }));
      const lines = isHeaded ? cells : [titles, ...cells];
      isHeaded = true;
      return lines.map((row) => formatRow(row, widths, colors));
    },
  };
}

/** The lines of a whole table, header first. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  options?: TableOptions,
): string[] {
  return createTable(header, options).format(rows);
}

/** Returns the width of a whole table. */
export function tableWidth(header: readonly string[], rows: readonly (readonly Cell[])[]): number {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => plainCell(row[column] ?? '').text.length)),
  );
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

interface PlainCell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

function plainCell(cell: Cell): PlainCell {
  return typeof cell === 'string'
    ? { text: firstLine(cell), tone: undefined }
    : { text: firstLine(cell.text), tone: cell.tone };
}

function formatRow(row: readonly PlainCell[], widths: readonly number[], colors: boolean): string {
  const isLast = (column: number): boolean => row.slice(column + 1).every(({ text }) => text === '');
  return row
    .map(({ text, tone }, column) => {
      const shown = colors && tone !== undefined && text !== '' ? painted(text, tone) : text;
      return isLast(column) ? shown : shown + ' '.repeat((widths[column] ?? 0) - text.length);
    })
    .join(GAP)
    .trimEnd();
}
