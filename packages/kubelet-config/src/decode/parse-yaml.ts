import { errorMessage } from '@rxlet/component-base';
import {
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { JsonNumber, type JsonObject, type JsonValue } from './json-value.ts';
import { resolvePlainScalar } from './plain-scalar.ts';

/** A key that is there twice in one map. Of its values the last one counts. */
export interface DuplicateKey {
  readonly key: string;
  /** Line of the later value, counted from 1. */
  readonly line: number;
}

/** The value of a YAML text, and its duplicate keys. */
export interface ParsedYaml {
  readonly value: JsonValue;
  readonly duplicates: readonly DuplicateKey[];
}

/** Bound on nodes that aliases expand to, so that a small file cannot fill the memory. */
const MAX_NODES = 100_000;

/**
 * Parses the first document of a YAML 1.1 text as the kubelet does.
 * @throws SyntaxError
 */
export function parseYaml(source: string): ParsedYaml {
  const [document] = parseAllDocuments(source, yamlOptions) as Document.Parsed[];
  if (document === undefined) return { value: null, duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError(errorMessage(error).split('\n', 1)[0]!.replace(/:$/, ''));
  return convertDocument(document, source);
}

function convertDocument(document: Document.Parsed, source: string): ParsedYaml {
  const duplicates: DuplicateKey[] = [];
  let nodes = 0;

  const convert = (node: Node | null | undefined): JsonValue => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new SyntaxError('too many values: aliases expand without bound');
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return convert(node.resolve(document));
    if (isMap(node)) return convertMap(node as YAMLMap<Node, Node | null>, new Map());
    if (isSeq(node)) return node.items.map((item) => convert(item as Node));
    if (isScalar(node)) return convertScalar(node);
    throw new SyntaxError('unexpected YAML node');
  };
  /** Adds the entries of a map in their order: a `<<` key replaces what is there before it. */
  const convertMap = (map: YAMLMap<Node, Node | null>, into: Map<string, JsonValue>): JsonObject => {
    for (const { key, value } of map.items) {
      if (isScalar(key) && key.source === '<<' && key.type === 'PLAIN') {
        mergeInto(into, value);
        continue;
      }
      const name = keyText(key);
      if (into.has(name)) duplicates.push({ key: name, line: lineOf(source, value ?? key) });
      into.set(name, convert(value));
    }
    return into;
  };
  /** Merges the maps of a `<<` key; of a list the first one wins. */
  const mergeInto = (into: Map<string, JsonValue>, node: Node | null): void => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new SyntaxError('too many values: aliases expand without bound');
    const value = isAlias(node) ? node.resolve(document) : node;
    if (isMap(value)) convertMap(value as YAMLMap<Node, Node | null>, into);
    else if (isSeq(value) && node === value)
      for (const item of value.items.toReversed()) {
        const map = isAlias(item) ? item.resolve(document) : item;
        if (!isMap(map)) throw new SyntaxError(MERGE_NEEDS_MAPS);
        mergeInto(into, map);
      }
    else throw new SyntaxError(MERGE_NEEDS_MAPS);
  };
  const value = convert(document.contents);
  return { value, duplicates };
}

const MERGE_NEEDS_MAPS = 'map merge requires map or sequence of maps as the value';

function lineOf(source: string, node: Node): number {
  return source.slice(0, node.range?.[0] ?? 0).split('\n').length;
}

function keyText(key: Node | null): string {
  const value = isScalar(key) ? convertScalar(key) : null;
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'boolean') return String(value);
  throw new SyntaxError('unsupported key of a map: only text, numbers and booleans are keys');
}

function convertScalar({ value, source, type, tag }: Scalar): JsonValue {
  if (type === 'PLAIN' && tag === undefined) return resolvePlainScalar(source ?? '');
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return new JsonNumber(String(value));
    throw new SyntaxError(`unsupported number ${String(value)}`);
  }
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  // A date or binary by an explicit tag.
  return value === null ? null : (source ?? null);
}

const yamlOptions: DocumentOptions & { version: '1.1'; logLevel: 'error'; uniqueKeys: false; intAsBigInt: true } = {
  version: '1.1',
  logLevel: 'error',
  uniqueKeys: false,
  intAsBigInt: true,
};
