import { fieldOf, tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { formatQuantity, parseQuantity, QuantityError } from '@rxlet/pod-model/quantity';
import type { FieldProblem } from '@rxlet/pod-model/validation';

/** An object of the API, decoded from data of any shape. */
export interface DecodedFields {
  /** Only fields of its type that are set. */
  readonly value: Record<string, unknown>;
  /** Fields whose value does not fit their type; their values are left out. */
  readonly problems: readonly FieldProblem[];
  /** Fields that the type does not have. Kubernetes ignores them, and so they are left out. */
  readonly unknownFields: readonly string[];
}

/**
 * Fields in which `""`, `0` or `false` is a value. In all others it is the same as no value (in Go: they are no pointers, and omitted when
 * empty), and is left out, so that equal pods have equal data.
 */
const zeroIsAValue = new Set(
  [
    'activeDeadlineSeconds allowPrivilegeEscalation automountServiceAccountToken blockOwnerDeletion',
    'containerPort controller defaultMode deletionGracePeriodSeconds enableServiceLinks expirationSeconds',
    'fsGroup gmsaCredentialSpec gmsaCredentialSpecName hostnameOverride hostProcess hostUsers',
    'localhostProfile maxSkew minDomains mode optional port preemptionPolicy priority privileged',
    'procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser runAsUserName runtimeClassName',
    'seconds service setHostnameAsFQDN shareProcessNamespace stopSignal storageClassName',
    'terminationGracePeriodSeconds tolerationSeconds weight',
  ].flatMap((names) => names.split(' ')),
);

const integerRanges = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
} as const;
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Limit of reported problems and unknown fields: a file may be wrong everywhere. */
const MAX_REPORTED = 500;

/** Marks a value that is left out. */
const unset = Symbol('unset');

/** Options of {@link decodeFields}. */
export interface DecodeFieldsOptions {
  /** Keeps empty lists and maps, and quantities as they are written. Default: empty ones are left out, and quantities get their canonical form. */
  readonly asWritten?: boolean;
}

/** Decodes `value` as an object of the named type. `null` is no value. */
export function decodeFields(value: object, type: TypeName, options: DecodeFieldsOptions = {}): DecodedFields {
  const { asWritten = false } = options;
  const problems: FieldProblem[] = [];
  const unknownFields: string[] = [];

  const mismatch = (field: string, expected: string, found: unknown): typeof unset => {
    if (problems.length < MAX_REPORTED)
      problems.push({ field, message: `expected ${expected}, found ${describe(found)}${adviceFor(expected, found)}` });
    return unset;
  };

  const decodeObject = (from: object, name: TypeName, at: string): Record<string, unknown> => {
    const table = tables[name];
    const decoded: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(from)) {
      const path = at === '' ? key : `${at}.${key}`;
      const field = fieldOf(table, key);
      if (field === undefined) {
        if (unknownFields.length < MAX_REPORTED) unknownFields.push(path);
        continue;
      }
      const result = decodeValue(item, field, path);
      if (result === unset || (isEmpty(result, field, asWritten) && !zeroIsAValue.has(key))) continue;
      decoded[key] = result;
    }
    return decoded;
  };

  const decodeValue = (item: unknown, table: ValueTable, at: string): unknown => {
    if (item === null || item === undefined) return unset;
    switch (table.type) {
      case 'any':
        return item;
      case 'string':
        if (typeof item !== 'string') return mismatch(at, 'a string', item);
        return table.format === 'byte' && !base64.test(item) ? mismatch(at, 'base64', item) : item;
      case 'boolean':
        return typeof item === 'boolean' ? item : mismatch(at, 'true or false', item);
      case 'number':
        return typeof item === 'number' ? item : mismatch(at, 'a number', item);
      case 'integer': {
        if (typeof item !== 'number' || !Number.isInteger(item)) return mismatch(at, 'an integer', item);
        const [min, max] = integerRanges[table.format === 'int64' ? 'int64' : 'int32'];
        return item < min || item > max ? mismatch(at, `an integer from ${String(min)} to ${String(max)}`, item) : item;
      }
      case 'int-or-string':
        return typeof item === 'string' || Number.isInteger(item) ? item : mismatch(at, 'an integer or a string', item);
      case 'quantity':
        if (typeof item !== 'string' && typeof item !== 'number') return mismatch(at, 'a quantity', item);
        try {
          const canonical = formatQuantity(parseQuantity(item));
          return asWritten ? String(item) : canonical;
        } catch (error) {
          if (!(error instanceof QuantityError)) throw error;
          return mismatch(at, 'a quantity such as 100m or 64Mi', item);
        }
      case 'date-time':
        return typeof item === 'string' && rfc3339.test(item) ? item : mismatch(at, 'an RFC 3339 date and time', item);
      case 'array':
        if (!Array.isArray(item)) return mismatch(at, 'a list', item);
        return item.map((element: unknown, index) => {
          const result = decodeValue(element ?? zeroOf(table.items), table.items, `${at}[${String(index)}]`);
          return result === unset ? zeroOf(table.items) : result;
        });
      case 'map': {
        if (!isObject(item)) return mismatch(at, 'a mapping', item);
        const entries: [string, unknown][] = [];
        for (const [key, element] of Object.entries(item)) {
          const result = decodeValue(element ?? zeroOf(table.items), table.items, `${at}[${key}]`);
          if (result !== unset) entries.push([key, result]);
        }
        return Object.fromEntries(entries);
      }
      case 'object-ref':
        return isObject(item) ? decodeObject(item, table.ref, at) : mismatch(at, 'a mapping', item);
    }
  };

  return { value: decodeObject(value, type, ''), problems, unknownFields };
}

/** Reports whether a value is a mapping, as YAML calls it. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown, { type }: ValueTable, asWritten: boolean): boolean {
  if (type === 'array' || type === 'map') return !asWritten && Object.keys(value as object).length === 0;
  return type !== 'int-or-string' && (value === '' || value === 0 || value === false);
}

/** Returns the value that `null` stands for in a list or mapping. */
function zeroOf({ type }: ValueTable): unknown {
  switch (type) {
    case 'object-ref':
    case 'map':
      return {};
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
    case 'int-or-string':
    case 'quantity':
      return 0;
    default:
      return '';
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value);
  return `the ${typeof value} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}

/** Returns advice for the most frequent mistake: a missing or superfluous pair of quotes. */
function adviceFor(expected: string, found: unknown): string {
  if (expected === 'a string' && typeof found === 'number') return ' (put it in quotes)';
  if (expected === 'a string' && typeof found === 'boolean') {
    return ' (put it in quotes; y, n, yes, no, on and off are booleans in YAML)';
  }
  if (
    typeof found === 'string' &&
    /^(?:-?\d+|true|false)$/.test(found) &&
    /integer|true or false|number/.test(expected)
  ) {
    return ' (write it without quotes)';
  }
  return '';
}
