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
  type ScalarTag,
  type Tags,
  type YAMLMap,
} from 'yaml';
import { JsonNumber, type JsonObject, type JsonValue } from './json-value.ts';

/** The value of a YAML or JSON text, and the paths of the keys that are there twice, of which the last one counts. */
export interface ParsedText {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

/** Bound on nodes that aliases expand to, so that a small file cannot fill the memory. */
const MAX_NODES = 100_000;

/**
 * Parses the first document of a YAML 1.1 text, or a JSON text, which begins with a brace, as the kubelet does.
 * @throws SyntaxError
 */
export function parseText(source: string): ParsedText {
  const isJson = source.trimStart().startsWith('{') && isValidJson(source);
  if (/^\s*\{.*\}\s*\S/s.test(source) && !isJson && startsWithJsonObject(source))
    throw new SyntaxError('text follows the JSON object');
  const [document] = parseAllDocuments(source, yamlOptions) as Document.Parsed[];
  if (document === undefined) return { value: null, duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError(errorMessage(error).split('\n', 1)[0]!.replace(/:$/, ''));
  return createConverter(document, isJson).convertRoot();
}

function isValidJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text up to some closing brace is JSON: YAML would take what follows for an error of its own kind. */
function startsWithJsonObject(source: string): boolean {
  const end = source.lastIndexOf('}') + 1;
  return isValidJson(source.slice(0, end));
}

function createConverter(document: Document.Parsed, isJson: boolean): { convertRoot(): ParsedText } {
  const duplicates: string[] = [];
  let nodes = 0;

  const convert = (node: Node | null | undefined, path: string): JsonValue => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new SyntaxError('too many values: aliases expand without bound');
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return convert(node.resolve(document), path);
    if (isMap(node)) return convertMap(node as YAMLMap<Node, Node | null>, path);
    if (isSeq(node)) return node.items.map((item, index) => convert(item as Node, `${path}[${String(index)}]`));
    if (isScalar(node)) return convertScalar(node, isJson);
    throw new SyntaxError('unexpected YAML node');
  };
  const convertMap = (map: YAMLMap<Node, Node | null>, path: string): JsonObject => {
    const own = new Map<string, JsonValue>();
    const merged = new Map<string, JsonValue>();
    for (const { key, value } of map.items) {
      if (!isJson && isScalar(key) && key.source === '<<' && key.type === 'PLAIN') {
        mergeInto(merged, convert(value, path));
        continue;
      }
      const name = keyText(key);
      const at = path === '' ? name : `${path}.${name}`;
      if (own.has(name)) duplicates.push(at);
      own.set(name, convert(value, at));
    }
    return new Map([...merged, ...own]);
  };
  return {
    convertRoot: () => {
      const value = convert(document.contents, '');
      return { value, duplicates };
    },
  };
}

/** Merges the maps of a `<<` key; the first one wins. */
function mergeInto(merged: Map<string, JsonValue>, value: JsonValue): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) mergeInto(merged, item);
  } else if (value instanceof Map) {
    for (const [key, item] of value as JsonObject) if (!merged.has(key)) merged.set(key, item);
  } else {
    throw new SyntaxError('map merge requires map or sequence of maps as the value');
  }
}

function keyText(key: Node | null): string {
  const value = isScalar(key) ? key.value : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new SyntaxError('unsupported key of a map: only text, numbers and booleans are keys');
}

function convertScalar({ value, source }: Scalar, isJson: boolean): JsonValue {
  if (typeof value === 'number') return new JsonNumber(isJson && source !== undefined ? source : goNumber(value));
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  return null;
}

/** The text that Go's JSON encoder gives a float64. */
function goNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  throw new SyntaxError(`unsupported number ${String(value)}`);
}

// As Go's YAML reader: no timestamps, binaries and sexagesimal numbers.
const leftOut = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
const yamlOptions: DocumentOptions & {
  version: '1.1';
  logLevel: 'error';
  uniqueKeys: false;
  intAsBigInt: true;
  customTags: (tags: Tags) => Tags;
} = {
  version: '1.1',
  logLevel: 'error',
  uniqueKeys: false,
  intAsBigInt: true,
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && (tag as ScalarTag).format !== 'TIME')),
};
