import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { ApiError } from '../api-error.ts';

/** One operation of a JSON patch. */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Applies a JSON patch (RFC 6902) to a copy of `document`. @throws ApiError when an operation fails */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new ApiError('BadRequest', 'error decoding patch: expected a list of operations');
  // A member holds the document, so that an empty pointer is a place like any other.
  const holder = { document: structuredClone(document) };
  for (const operation of patch as Operation[]) applyOperation(holder, operation);
  return holder.document;
}

function applyOperation(holder: { document: unknown }, operation: Operation): void {
  const { op, path, from, value } = operation;
  switch (op) {
    case 'add':
      return placeAt(holder, path).add(structuredClone(value));
    case 'remove':
      return void placeAt(holder, path).remove();
    case 'replace': {
      const place = placeAt(holder, path);
      place.read();
      return place.replace(structuredClone(value));
    }
    case 'move': {
      const moved = placeAt(holder, from ?? '').remove();
      return placeAt(holder, path).add(moved);
    }
    case 'copy':
      return placeAt(holder, path).add(structuredClone(placeAt(holder, from ?? '').read()));
    case 'test':
      if (sameValue(placeAt(holder, path).read(), value)) return;
      throw failed(`testing value ${path} failed`);
    default:
      throw new ApiError('BadRequest', `error decoding patch: unexpected kind: ${String(op)}`);
  }
}

interface Place {
  read(): unknown;
  add(value: unknown): void;
  replace(value: unknown): void;
  remove(): unknown;
}

/** Finds the place that a JSON pointer names. */
function placeAt(holder: { document: unknown }, pointer: string): Place {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) {
    throw new ApiError('BadRequest', `error decoding patch: malformed pointer ${JSON.stringify(pointer)}`);
  }
  const elements = pointer === '' ? [] : pointer.slice(1).split('/').map(unescaped);
  const keys = ['document', ...elements];
  const last = keys.pop()!;
  let parent: unknown = holder;
  for (const key of keys) parent = childOf(parent, key, pointer);
  if (Array.isArray(parent)) return placeInList(parent as unknown[], last, pointer);
  if (typeof parent !== 'object' || parent === null) throw missing(pointer);
  return placeInObject(parent as Record<string, unknown>, last, pointer);
}

function placeInObject(parent: Record<string, unknown>, key: string, pointer: string): Place {
  const set = (value: unknown): void =>
    void Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
  const read = (): unknown => childOf(parent, key, pointer);
  return {
    read,
    add: set,
    replace: set,
    remove() {
      const value = read();
      delete parent[key];
      return value;
    },
  };
}

function placeInList(parent: unknown[], key: string, pointer: string): Place {
  const read = (): unknown => childOf(parent, key, pointer);
  return {
    read,
    add(value) {
      const index = key === '-' ? parent.length : indexOf(key, parent.length, pointer);
      parent.splice(index, 0, value);
    },
    replace: (value) => void (parent[indexOf(key, parent.length - 1, pointer)] = value),
    remove() {
      const value = read();
      parent.splice(Number(key), 1);
      return value;
    },
  };
}

function childOf(parent: unknown, key: string, pointer: string): unknown {
  if (Array.isArray(parent)) return (parent as unknown[])[indexOf(key, parent.length - 1, pointer)];
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) throw missing(pointer);
  return (parent as Record<string, unknown>)[key];
}

function indexOf(key: string, max: number, pointer: string): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN;
  if (!(index <= max)) throw missing(pointer);
  return index;
}

function unescaped(element: string): string {
  return element.replaceAll('~1', '/').replaceAll('~0', '~');
}

function missing(pointer: string): ApiError {
  return failed(`the path ${JSON.stringify(pointer)} does not exist`);
}

function failed(cause: string): ApiError {
  return new ApiError('Invalid', `the server rejected our request due to an error in our request: ${cause}`);
}
