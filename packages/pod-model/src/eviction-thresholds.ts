import { parseGoFloat32 } from './go-float.ts';
import {
  compareQuantities,
  makeQuantity,
  type ParsedQuantity,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from './quantity.ts';

/** Signals of pressure on a node, as in `evictionHard` and `evictionSoft` of a KubeletConfiguration. */
export const EVICTION_SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;

/** A signal of pressure on a node. */
export type EvictionSignal = (typeof EVICTION_SIGNALS)[number];

/** An amount, or a share of the capacity from 0 to 1. */
export type EvictionValue =
  { readonly quantity: ParsedQuantity; readonly share?: never } | { readonly share: number; readonly quantity?: never };

/** A threshold or an amount to reclaim cannot be used. */
export class EvictionValueError extends Error {
  override readonly name = 'EvictionValueError';
}

/** Returns the signal of a name. @throws EvictionValueError when there is none */
export function evictionSignal(name: string): EvictionSignal {
  const signal = EVICTION_SIGNALS.find((known) => known === name);
  if (signal === undefined) throw new EvictionValueError(`unsupported eviction signal "${name}"`);
  return signal;
}

/**
 * Parses the threshold of a signal: a positive quantity or a percentage. `undefined` for 0% and 100%, which turn the threshold off.
 * @throws EvictionValueError
 */
export function parseEvictionThreshold(signal: string, text: string): EvictionValue | undefined {
  evictionSignal(signal);
  if (text === '0%' || text === '100%') return undefined;
  const value = parseValue('eviction threshold', signal, text);
  // NaN is accepted, as in the kubelet, and never met.
  if (value.share !== undefined && (value.share < 0 || value.share > 1))
    throw new EvictionValueError(`eviction threshold "${text}" of ${signal} must be a percentage from 0% to 100%`);
  if (value.quantity !== undefined && compareQuantities(value.quantity, zeroQuantity) <= 0)
    throw new EvictionValueError(`eviction threshold "${text}" of ${signal} must be a positive quantity`);
  return value;
}

/** Parses the minimum amount to reclaim for a signal. @throws EvictionValueError */
export function parseEvictionReclaim(signal: string, text: string): EvictionValue {
  evictionSignal(signal);
  const value = parseValue('minimum eviction reclaim', signal, text);
  const isTooSmall = value.share === undefined ? compareQuantities(value.quantity, zeroQuantity) < 0 : value.share <= 0;
  if (isTooSmall) throw new EvictionValueError(`minimum eviction reclaim "${text}" of ${signal} must be positive`);
  return value;
}

/** Returns a value as an amount. A share is computed with the precision of the kubelet's float32. */
export function evictionQuantity(value: EvictionValue, capacity: ParsedQuantity): ParsedQuantity {
  if (value.quantity !== undefined) return value.quantity;
  const amount = Math.trunc(Number(quantityValue(capacity)) * value.share);
  return makeQuantity(Number.isFinite(amount) ? amount : NO_AMOUNT, 0, 'binarySI');
}

/** The 64-bit integer that Go makes of NaN and infinity. */
const NO_AMOUNT = -(2n ** 63n);

function parseValue(subject: string, signal: string, text: string): EvictionValue {
  if (text.endsWith('%')) {
    const percentage = parseGoFloat32(text.replace(/%+$/, ''));
    if (percentage !== undefined) return { share: Math.fround(percentage / 100) };
  } else {
    try {
      return { quantity: parseQuantity(text) };
    } catch (cause) {
      throw new EvictionValueError(`${subject} ${neither(signal, text)}`, { cause });
    }
  }
  throw new EvictionValueError(`${subject} ${neither(signal, text)}`);
}

function neither(signal: string, text: string): string {
  return `"${text}" of ${signal} must be a quantity or a percentage`;
}

/** Conditions of pressure with the kubelet's reasons and messages, by type, without and with pressure. */
const pressures = {
  MemoryPressure: {
    False: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    True: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  DiskPressure: {
    False: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    True: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  PIDPressure: {
    False: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    True: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
} as const;

/** A condition of pressure, without its times. */
export interface PressureConditionState {
  readonly type: PressureType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Type of a condition of pressure. */
export type PressureType = keyof typeof pressures;

/** Types of the conditions of pressure, in the order of the kubelet. */
export const pressureTypes = Object.keys(pressures) as readonly PressureType[];

/** Returns a condition of pressure in the words of the kubelet. */
export function pressureCondition(type: PressureType, underPressure: boolean): PressureConditionState {
  const status = underPressure ? 'True' : 'False';
  const [reason, message] = pressures[type][status];
  return { type, status, reason, message };
}
