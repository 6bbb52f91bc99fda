import { Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { resolvePath } from '../fs/file-system.ts';
import { parseImageReference } from '../image-reference.ts';
import type { FakeRuntimeOptions } from '../options.ts';
import type { FakeCredential, FakeImage, FakePullError } from './fake-image.ts';
import { PULL_ERROR_KINDS, type PullErrorKind } from './pull-errors.ts';

/** Image options of a fake runtime that a file may contain. */
export type ImageCatalogue = Required<Pick<FakeRuntimeOptions, 'images' | 'missingImages'>> &
  Pick<FakeRuntimeOptions, 'imageDiskBytes'>;

/** An image catalogue is invalid: it is not YAML (`syntax`), or a field is unknown, missing or of a wrong type or form (`field`). */
export class ImageCatalogueError extends Error {
  override readonly name = 'ImageCatalogueError';
  readonly reason: 'syntax' | 'field';
  /** From 1; `undefined` for an image that is an object. */
  readonly line: number | undefined;
  /** Path of the field, e.g. `images[1].sizeBytes`; empty for the file as a whole. */
  readonly field: string;

  constructor(reason: 'syntax' | 'field', line: number | undefined, field: string, problem: string) {
    super(`${line === undefined ? '' : `line ${String(line)}: `}${field === '' ? '' : `${field}: `}${problem}`);
    this.reason = reason;
    this.line = line;
    this.field = field;
  }
}

/**
 * Reads a catalogue of images in YAML: a mapping with `images`, a list whose items have the fields of {@link FakeImage}, `missingImages`, a list of
 * references, and `imageDiskBytes`, all of them optional. Throws an {@link ImageCatalogueError} that names the first wrong line and field.
 */
export function parseImageCatalogue(yamlText: string): ImageCatalogue {
  const root = rootOf(yamlText);
  return root === undefined ? { images: [], missingImages: [] } : catalogue(root);
}

/** Reads YAML; `undefined` when it is empty. */
function rootOf(yamlText: string): Value | undefined {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new ImageCatalogueError('syntax', lines.linePos(error.pos[0]).line, '', error.message);
  }
  const lineOf = (node: Node | null | undefined): number | undefined =>
    node?.range ? lines.linePos(node.range[0]).line : undefined;
  return document.contents === null ? undefined : { node: document.contents, path: '', line: 1, lineOf };
}

/** Reads one image in YAML: a mapping with the fields of {@link FakeImage}. Throws an {@link ImageCatalogueError}. */
export function parseImage(yamlText: string): FakeImage {
  return image(rootOf(yamlText) ?? { node: null, path: '', line: 1, lineOf: () => undefined });
}

/** Checks the fields of an image that is an object. Throws an {@link ImageCatalogueError} that names the field. */
export function checkImage(object: FakeImage): void {
  const { contents } = new Document(object, { aliasDuplicateObjects: false });
  image({ node: contents, path: 'image', line: undefined, lineOf: () => undefined });
}

/** A value in the file, and its place. */
interface Value {
  readonly node: Node | null;
  readonly path: string;
  readonly line: number | undefined;
  readonly lineOf: (node: Node | null | undefined) => number | undefined;
}

/** Parses a value; throws an {@link ImageCatalogueError}. */
type Read<T> = (value: Value) => T;

function invalidValue(value: Value, problem: string): ImageCatalogueError {
  return new ImageCatalogueError('field', value.line, value.path, problem);
}

/** Reads a scalar that `accepts` accepts; `expected` describes it in errors. */
function scalar<T>(expected: string, accepts: (value: unknown) => value is T): Read<T> {
  return (value) => {
    const content: unknown = isScalar(value.node) ? value.node.value : undefined;
    if (!accepts(content)) throw invalidValue(value, `expected ${expected}`);
    return content;
  };
}

function list<T>(read: Read<T>, minLength = 0): Read<T[]> {
  return (value) => {
    const { node, path, line, lineOf } = value;
    if (!isSeq<Node>(node)) throw invalidValue(value, 'expected a list');
    if (node.items.length < minLength) throw invalidValue(value, 'expected at least one item');
    return node.items.map((item, index) =>
      read({ node: item, path: `${path}[${String(index)}]`, line: lineOf(item) ?? line, lineOf }),
    );
  };
}

/** Reads a mapping with known fields, of which those in `required` must be present. */
function mapping<T>(
  fields: { readonly [K in keyof T]-?: Read<NonNullable<T[K]>> },
  required: readonly (keyof T)[],
): Read<T> {
  return (value) => {
    const { node, path, line, lineOf } = value;
    if (!isMap<Node, Node | null>(node)) throw invalidValue(value, 'expected a mapping');
    const result: Partial<Record<keyof T, unknown>> = {};
    for (const { key, value: content } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const field: Value = {
        node: content,
        path: path === '' ? name : `${path}.${name}`,
        line: lineOf(key) ?? line,
        lineOf,
      };
      if (!Object.hasOwn(fields, name)) throw invalidValue(field, 'unknown field');
      result[name as keyof T] = fields[name as keyof T](field);
    }
    for (const name of required) {
      if (result[name] !== undefined) continue;
      throw invalidValue({ ...value, path: path === '' ? String(name) : `${path}.${String(name)}` }, 'is missing');
    }
    return result as T;
  };
}

const text = scalar('a text', (value) => typeof value === 'string');
const flag = scalar('true or false', (value) => typeof value === 'boolean');
const count = scalar(
  'a whole number, not below 0',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
const positive = scalar('a number above 0', (value): value is number => typeof value === 'number' && value > 0);
const times = scalar('a whole number above 0, or .inf', (value): value is number => {
  return value === Infinity || (Number.isSafeInteger(value) && Number(value) > 0);
});
const digest = scalar(
  '"sha256:" and 64 hex digits',
  (value): value is string => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value),
);
const variable = scalar('"NAME=value"', (value): value is string => typeof value === 'string' && /^[^=]+=/.test(value));
const errorKind = scalar(`one of ${PULL_ERROR_KINDS.join(', ')}`, (value): value is PullErrorKind =>
  PULL_ERROR_KINDS.some((kind) => kind === value),
);
/** YAML parses a numeric user as a number. */
const user = (value: Value): string =>
  isScalar(value.node) && typeof value.node.value === 'number' ? String(value.node.value) : text(value);

const reference: Read<string> = (value) => {
  const written = text(value);
  try {
    parseImageReference(written);
  } catch {
    throw invalidValue(value, `"${written}" is not an image reference`);
  }
  return written;
};

const credentialFields = mapping<{ username?: string; password?: string; token?: string }>(
  { username: text, password: text, token: text },
  [],
);
const credential: Read<FakeCredential> = (value) => {
  const { username, password, token } = credentialFields(value);
  if (token !== undefined && username === undefined && password === undefined) return { token };
  if (token === undefined && username !== undefined && password !== undefined) return { username, password };
  throw invalidValue(value, 'expected either a username and a password, or a token');
};

/** Reads a mapping from absolute paths to texts. */
const textByPath: Read<Readonly<Record<string, string>>> = (value) => {
  const { node, path, line, lineOf } = value;
  if (!isMap<Node, Node | null>(node)) throw invalidValue(value, 'expected a mapping');
  const texts: Record<string, string> = {};
  for (const { key, value: content } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const entry: Value = { node: content, path: `${path}["${name}"]`, line: lineOf(key) ?? line, lineOf };
    if (name === '/' || resolvePath('/', name) !== name) throw invalidValue(entry, 'expected an absolute path');
    texts[name] = text(entry);
  }
  return texts;
};

const pullError = mapping<FakePullError>({ kind: errorKind, message: text, times }, ['kind']);

const image = mapping<FakeImage>(
  {
    tags: list(reference, 1) as Read<[string, ...string[]]>,
    digest,
    id: digest,
    present: flag,
    pinned: flag,
    sizeBytes: count,
    pullLatencyMs: count,
    bandwidthBytesPerSecond: positive,
    credentials: list(credential),
    errors: list(pullError),
    entrypoint: list(text),
    cmd: list(text),
    env: list(variable),
    user,
    files: textByPath,
  },
  ['tags'],
);

const catalogueFields = mapping<{ images?: FakeImage[]; missingImages?: string[]; imageDiskBytes?: number }>(
  { images: list(image), missingImages: list(reference), imageDiskBytes: count },
  [],
);
const catalogue: Read<ImageCatalogue> = (value) => ({ images: [], missingImages: [], ...catalogueFields(value) });
