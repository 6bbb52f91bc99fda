import type { ObjectMeta } from '@rxlet/kube-api';
import type { Cell } from '../output/table.ts';

/** An object of the agent, as Kubernetes objects are. */
export interface AgentObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
}

/** A column of a kind's table. */
export interface Column<T extends AgentObject> {
  readonly title: string;
  /** Whether only `-o wide` shows it. Default: no. */
  readonly isWide?: boolean;
  /** On a narrow screen, columns with a greater number are left out first. Default: 0, never. */
  readonly dropRank?: number;
  cell(object: T, nowMs: number): Cell;
}

/** A kind of objects that `get` lists. */
export interface ResourceKind<T extends AgentObject = AgentObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** Names on the command line: plural, singular, short ones. */
  readonly names: readonly [plural: string, singular: string, ...short: string[]];
  readonly isNamespaced: boolean;
  /** Endpoint of the agent. */
  readonly path: string;
  /** Whether the endpoint has a watch. */
  readonly isWatchable: boolean;
  readonly columns: readonly Column<T>[];
  /** Returns the objects of an answer of the endpoint. */
  objectsOf(answer: unknown): readonly T[];
  /** Returns the values that a field selector compares. */
  fieldsOf(object: T): Readonly<Record<string, string>>;
  /** Returns the object of the typed name. @throws AgentConnectionError when there is none */
  select(objects: readonly T[], name: string, namespace: string): T;
  /** Returns what a watch shows of an object that is gone. Default: the object as it was. */
  asDeleted?(object: T): T;
}

/** Returns an object with apiVersion and kind, which the items of a list lack. */
export function asObject<T extends AgentObject>({ apiVersion, kind }: ResourceKind<T>, object: T): T {
  return { ...object, apiVersion, kind };
}

/** Returns the texts of an object's cells, all of them or those that are not wide. */
export function cellTexts<T extends AgentObject>(
  { columns }: Pick<ResourceKind<T>, 'columns'>,
  object: T,
  nowMs: number,
  isWide = false,
): string[] {
  const shown = columns.filter((column) => isWide || column.isWide !== true);
  return shown.map((column) => {
    const cell = column.cell(object, nowMs);
    return typeof cell === 'string' ? cell : cell.text;
  });
}

/** Orders objects by namespace and name. */
export function byName(left: AgentObject, right: AgentObject): number {
  return (
    compare(left.metadata?.namespace ?? '', right.metadata?.namespace ?? '') ||
    compare(left.metadata?.name ?? '', right.metadata?.name ?? '')
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
