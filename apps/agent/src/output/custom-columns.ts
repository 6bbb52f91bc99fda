import { UsageError } from '../config/config-error.ts';
import { type JsonPath, parseFieldPath, printedValue } from './json-path.ts';

/** A column of `-o custom-columns`. */
export interface CustomColumn {
  readonly title: string;
  readonly path: JsonPath;
}

/** Parses `TITLE:.path,TITLE:.path`. @throws UsageError when it is malformed */
export function parseColumns(text: string): readonly CustomColumn[] {
  // Commas separate columns, except those within brackets.
  return text.split(/,(?![^[]*\])/).map((column) => {
    const colon = column.indexOf(':');
    if (colon <= 0 || colon === column.length - 1)
      throw new UsageError(`unexpected custom-columns spec: ${column}, expected <header>:<json-path-expr>`);
    return { title: column.slice(0, colon), path: parseFieldPath(column.slice(colon + 1)) };
  });
}

/** Returns the cell of an object: its values separated by commas, `<none>` without any. */
export function customCell({ path }: CustomColumn, object: unknown): string {
  const values = path.find(object);
  return values.length === 0
    ? '<none>'
    : values.map((value) => (value === null ? '<none>' : printedValue(value))).join(',');
}
