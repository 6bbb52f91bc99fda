import type { StoredObject } from '../api-object.ts';
import { ApiError } from '../api-error.ts';
import type { ResourceType } from '../resource-type.ts';
import { columnsOf } from './kind-columns.ts';

/** A request for a table. `include` names the part of each object that comes with its row. */
export interface TableRequest {
  readonly apiVersion: string;
  readonly include: 'None' | 'Metadata' | 'Object';
}

/**
 * Returns the table that a request asks for (`Accept: application/json;as=Table;v=v1;g=meta.k8s.io`); `undefined` when it prefers the objects.
 *
 * @throws ApiError for an unknown `includeObject`
 */
export function tableRequestOf(accept: string | undefined, query: URLSearchParams): TableRequest | undefined {
  const wanted = (accept ?? '')
    .split(',')
    .map(mediaTypeOf)
    .find(({ name, as }) => isJson(name) && (as === undefined || as === 'Table'));
  if (wanted?.as !== 'Table' || wanted.g !== 'meta.k8s.io') return undefined;
  const include = query.get('includeObject') || 'Metadata';
  if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    throw new ApiError('BadRequest', `unrecognized includeObject value: ${JSON.stringify(include)}`);
  }
  return { apiVersion: `meta.k8s.io/${wanted.v ?? 'v1'}`, include };
}

/** Returns the table with a row for each object. `metadata` is that of the list. */
export function renderTable(
  type: ResourceType,
  objects: readonly StoredObject[],
  metadata: unknown,
  { apiVersion, include }: TableRequest,
  nowMs: number,
): object {
  const columns = columnsOf(type);
  const objectOf = (object: StoredObject): unknown =>
    include === 'Object' ? object : { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: columns.map(({ name, type: format, format: place = '', priority }) => ({
      name,
      type: format,
      format: place,
      description: '',
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      ...(include !== 'None' && { object: objectOf(object) }),
    })),
  };
}

function isJson(name: string): boolean {
  return name === 'application/json' || name === '*/*';
}

function mediaTypeOf(text: string): {
  readonly name: string;
  readonly as?: string;
  readonly v?: string;
  readonly g?: string;
} {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  return { name, ...Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2) as [string, string])) };
}
