import { isIP } from 'node:net';
import { parseGoBoolean, parseGoDuration } from '@rxlet/component-base/go';
import { formatQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import { parseGoInteger } from '../decode/go-integer.ts';
import type { MemoryReservation, Taint } from '@rxlet/component-base/kubelet-configuration';

/** The text of a flag does not fit its type. */
export class FlagValueError extends Error {
  override readonly name = 'FlagValueError';
}

/**
 * Reads the text of a flag. `earlier` is the value of the same flag given before on this command line: lists and maps collect all of them.
 * @throws FlagValueError
 */
export type FlagParser = (text: string, earlier: unknown) => unknown;

/** Reads a boolean as Go does. */
export function parseBoolean(text: string): boolean {
  const value = parseGoBoolean(text);
  if (value !== undefined) return value;
  throw new FlagValueError(`"${text}" is neither true nor false`);
}

/** Returns the parser of integers of a number of bits. */
export function integer(bits: 32 | 64): FlagParser {
  return (text) => {
    const value = parseGoInteger(text);
    if (value !== undefined && BigInt.asIntN(bits, value) === value) return Number(value);
    throw new FlagValueError(`"${text}" is no integer of ${String(bits)} bits`);
  };
}

/** A verbosity of the log: decimal, 31 bits. */
export const verbosity: FlagParser = (text) => {
  if (/^\d+$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  throw new FlagValueError(`"${text}" is no number from 0 to 2147483647`);
};

export const text: FlagParser = (value) => value;

export const duration: FlagParser = (value) => {
  const ms = parseGoDuration(value);
  if (ms === undefined) throw new FlagValueError(`"${value}" is not a duration like 20s or 1m30s`);
  return ms;
};

export const ipAddress: FlagParser = (value) => {
  if (isIP(value.trim()) === 0) throw new FlagValueError(`"${value}" is not a valid IP address`);
  return value.trim();
};

/** Comma-separated texts. */
export const textList: FlagParser = (value, earlier) => [
  ...((earlier as readonly string[] | undefined) ?? []),
  ...(value === '' ? [] : value.split(',')),
];

/** Comma-separated pairs. */
export function pairs(separator: '=' | '<', parse: (value: string) => unknown = (value) => value): FlagParser {
  return (value, earlier) => ({
    ...(earlier as object | undefined),
    ...Object.fromEntries(
      value
        .split(',')
        .filter((pair) => pair !== '')
        .map((pair) => readPair(pair, separator, parse)),
    ),
  });
}

/** One pair, whose value may contain commas. */
export const onePair: FlagParser = (value, earlier) => ({
  ...(earlier as object | undefined),
  ...Object.fromEntries(value === '' ? [] : [readPair(value, '=', (text) => text)]),
});

function readPair(pair: string, separator: string, parse: (value: string) => unknown): [string, unknown] {
  const index = pair.indexOf(separator);
  if (index < 0) throw new FlagValueError(`malformed pair "${pair}", expected name${separator}value`);
  return [pair.slice(0, index).trim(), parse(pair.slice(index + 1).trim())];
}

const TAINT = /^([^=:]+)(?:=([^=:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/;

/** Comma-separated taints `key=value:effect`. */
export const taints: FlagParser = (value): readonly Taint[] =>
  value === ''
    ? []
    : value.split(',').map((spec) => {
        const [, key, taintValue, effect] = TAINT.exec(spec) ?? [];
        if (key === undefined || effect === undefined) throw new FlagValueError(`invalid taint spec: ${spec}`);
        return { key, ...(taintValue && { value: taintValue }), effect };
      });

/** Reserved memory `numaNode:type=quantity[,type=quantity...]`, separated by semicolons. */
export const reservedMemory: FlagParser = (value, earlier): readonly MemoryReservation[] => [
  ...((earlier as readonly MemoryReservation[] | undefined) ?? []),
  ...(value === '' ? [] : value.split(';').map(readReservation)),
];

function readReservation(text: string): MemoryReservation {
  const [node = '', amounts, ...more] = text.split(':');
  if (amounts === undefined || more.length > 0 || !/^\d+$/.test(node))
    throw new FlagValueError(`reserved memory "${text}" must be numaNodeID:type=quantity[,type=quantity...]`);
  const limits = amounts.split(',').map((amount) => readPair(amount, '=', readQuantity) as [string, string]);
  const unsupported = limits.find(([type]) => type !== 'memory' && !type.startsWith('hugepages-'));
  if (unsupported !== undefined) throw new FlagValueError(`memory type ${unsupported[0]} cannot be reserved`);
  return { numaNode: Number(node), limits: Object.fromEntries(limits) };
}

export const quantity: FlagParser = (value) => readQuantity(value);

function readQuantity(value: string): string {
  try {
    return formatQuantity(parseQuantity(value));
  } catch (cause) {
    throw new FlagValueError(`"${value}" is no quantity`, { cause });
  }
}
