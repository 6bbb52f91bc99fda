import { internalStrings, internalStructs } from '../gen/internal-types.ts';
import { type InternalQuantity, printQuantity, readQuantity } from './print-quantity.ts';

/** A field of a struct of Go. */
interface StructField {
  readonly name: string;
  /** Name in JSON, or `inline`, or `none`. */
  readonly json: string;
  readonly type: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Prints a value of Go in the form `%#v` of the spew library, in which the kubelet hashes objects: without methods, addresses and capacities, keys sorted.
 *
 * @param type type in Go, such as `[]core.Container`
 * @param value its JSON; `undefined` for no value
 * @param hasType whether the type is printed before the value
 */
export function printValue(type: string, value: unknown, hasType = true): string {
  if (value !== undefined) return print(type, value, hasType);
  // Most fields of a pod have no value.
  const key = hasType ? type : ` ${type}`;
  let text = absent.get(key);
  if (text === undefined) absent.set(key, (text = print(type, undefined, hasType)));
  return text;
}

/** Prints of absent values, by their type; bounded by the number of types. */
const absent = new Map<string, string>();

function print(type: string, value: unknown, hasType: boolean): string {
  if (type.startsWith('*')) {
    if (value === undefined) return hasType ? `(${type})<nil>` : '<nil>';
    return `${hasType ? `(${type})` : '<*>'}${printValue(type.slice(1), value, false)}`;
  }
  return `${hasType ? `(${type})` : ''}${printBare(type, value)}`;
}

function printBare(type: string, value: unknown): string {
  switch (type) {
    case 'bool':
      return value === true ? 'true' : 'false';
    case 'int32':
    case 'int64':
      return String((value as number | undefined) ?? 0);
    case 'string':
      return (value as string | undefined) ?? '';
    case 'intstr.IntOrString':
      return printIntOrString(value as string | number | undefined);
    case 'resource.Quantity':
      return printQuantity(quantityOf(value as string | number | InternalQuantity | undefined));
    case 'core.ResourceList':
      return printMap('resource.Quantity', value as Json | undefined);
    case 'v1.Time':
      return printTime(value as string | undefined);
    case 'v1.FieldsV1':
      return `{Raw:([]uint8)[${[...new TextEncoder().encode(JSON.stringify(value))].join(' ')}]}`;
    default:
      break;
  }
  if (internalStrings.has(type)) return (value as string | undefined) ?? '';
  if (type.startsWith('[]')) {
    if (value === undefined) return '<nil>';
    return `[${(value as readonly unknown[]).map((item) => printValue(type.slice(2), item, false)).join(' ')}]`;
  }
  const map = /^map\[[^\]]+\](.+)$/.exec(type);
  if (map !== null) return printMap(map[1]!, value as Json | undefined);
  return printStruct(type, (value ?? {}) as Json);
}

function printStruct(type: string, value: Json): string {
  let text = '';
  for (const { name, json, type: fieldType } of fieldsOf(type)) {
    const field = json === 'inline' ? value : json === 'none' ? undefined : value[json];
    text += `${text === '' ? '' : ' '}${name}:${printValue(fieldType, field)}`;
  }
  return `{${text}}`;
}

function printMap(type: string, value: Json | undefined): string {
  if (value === undefined) return '<nil>';
  const entries = Object.entries(value).toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `map[${entries.map(([key, item]) => `${key}:${printValue(type, item, false)}`).join(' ')}]`;
}

function printIntOrString(value: string | number | undefined): string {
  const isText = typeof value === 'string';
  const number = isText ? 0 : (value ?? 0);
  return `{Type:(intstr.Type)${isText ? '1' : '0'} IntVal:(int32)${String(number)} StrVal:(string)${isText ? value : ''}}`;
}

function quantityOf(value: string | number | InternalQuantity | undefined): InternalQuantity | undefined {
  return typeof value === 'object' || value === undefined ? value : readQuantity(value);
}

const parsed = new Map<string, readonly StructField[]>();

function fieldsOf(type: string): readonly StructField[] {
  let fields = parsed.get(type);
  if (fields === undefined) {
    const lines = internalStructs[type];
    if (lines === undefined) throw new TypeError(`the layout of the type ${type} is not known`);
    fields = lines.map((line) => {
      const [name = '', json = '', fieldType = ''] = line.split(' ');
      return { name, json, type: fieldType };
    });
    parsed.set(type, fields);
  }
  return fields;
}

/** Seconds from the year 1, at which Go's times begin, to 1970. */
const YEAR_1_SECONDS = 62_135_596_800;
const utc = '{name:(string)UTC offset:(int)0 isDST:(bool)false}';
const location = [
  '{name:(string)Local',
  `zone:([]time.zone)[${utc}]`,
  'tx:([]time.zoneTrans)[{when:(int64)-9223372036854775808 index:(uint8)0 isstd:(bool)false isutc:(bool)false}]',
  'extend:(string)UTC0 cacheStart:(int64)-9223372036854775808 cacheEnd:(int64)9223372036854775807',
  `cacheZone:(*time.zone)${utc}}`,
].join(' ');

/** Prints the fields of a time, with the zone of a node in UTC; those of the zero value without one. */
function printTime(time: string | undefined): string {
  if (time === undefined) return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
  const seconds = Math.floor(Date.parse(time) / 1000) + YEAR_1_SECONDS;
  const nanos = Number((/\.(\d{1,9})/.exec(time)?.[1] ?? '').padEnd(9, '0'));
  return `{Time:(time.Time){wall:(uint64)${String(nanos)} ext:(int64)${String(seconds)} loc:(*time.Location)${location}}}`;
}
