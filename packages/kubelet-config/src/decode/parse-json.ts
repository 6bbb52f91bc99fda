import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from './json-value.ts';

/** A JSON value, and the paths of the keys that are there twice. */
export interface ParsedJson {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/y;

/**
 * Parses a JSON text. Of a key that is there twice, objects are merged and of other values the last one counts, as Go decodes into a structure.
 * @throws SyntaxError
 */
export function parseJson(source: string): ParsedJson {
  JSON.parse(source);
  // From here on the text is known to be valid.
  const token = new RegExp(TOKEN);
  const next = (): string => token.exec(source)![1]!;
  const duplicates: string[] = [];

  const readValue = (first: string, path: string): JsonValue => {
    if (first === '{') return readObject(path);
    if (first === '[') return readList(path);
    if (first.startsWith('"')) return JSON.parse(first) as string;
    if (first === 'null') return null;
    return first === 'true' || first === 'false' ? first === 'true' : new JsonNumber(first);
  };
  const readObject = (path: string): JsonObject => {
    const object = new Map<string, JsonValue>();
    for (let mark = next(); mark !== '}'; mark = next()) {
      if (mark === ',') continue;
      const key = JSON.parse(mark) as string;
      const at = path === '' ? key : `${path}.${key}`;
      next();
      const value = readValue(next(), at);
      const earlier = object.get(key);
      if (object.has(key)) duplicates.push(at);
      object.set(key, isJsonObject(earlier) && isJsonObject(value) ? mergeObjects(earlier, value) : value);
    }
    return object;
  };
  const readList = (path: string): JsonValue[] => {
    const list: JsonValue[] = [];
    for (let mark = next(); mark !== ']'; mark = next())
      if (mark !== ',') list.push(readValue(mark, `${path}[${String(list.length)}]`));
    return list;
  };
  return { value: readValue(next(), ''), duplicates: [...new Set(duplicates)] };
}

function mergeObjects(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged = new Map(earlier);
  for (const [key, value] of later) {
    const present = merged.get(key);
    merged.set(key, isJsonObject(present) && isJsonObject(value) ? mergeObjects(present, value) : value);
  }
  return merged;
}
