import { formatSince } from '@rxlet/pod-model/summary';
import type { StoredObject } from '../api-object.ts';

/** A column of a server-side table. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  /** `name` marks the column of names. */
  readonly format?: 'name';
  /** Columns above 0 are shown by `-o wide` only. */
  readonly priority: number;
  readonly cell: (object: StoredObject, nowMs: number) => string | number;
}

/** Cells of a kind of object: by `T`, what they read of it. */
export type CellOf<T> = (object: T, nowMs: number) => string | number | undefined;

/** Returns a column. Empty text is shown as `<none>`. */
export function column<T>(name: string, cell: CellOf<T>, type: Column['type'] = 'string'): Column {
  return {
    name,
    type,
    priority: 0,
    cell: (object, nowMs) => {
      const value = cell(object as unknown as T, nowMs);
      return value === undefined || value === '' ? '<none>' : value;
    },
  };
}

/** Returns a column that only `-o wide` shows. */
export function wide<T>(name: string, cell: CellOf<T>): Column {
  return { ...column(name, cell), priority: 1 };
}

/** The columns of every kind. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  priority: 0,
  cell: ({ metadata }, nowMs) => formatSince(metadata.creationTimestamp, nowMs),
};

/** Returns a yes or no as Kubernetes prints it. */
export function booleanText(value: boolean | undefined): string {
  return String(value === true);
}

/** Returns labels as `key=value`, separated by commas. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
