import { parseGoDuration } from '@rxlet/component-base';
import { compareQuantities, parseQuantity, zeroQuantity } from '@rxlet/pod-model';
import type { KubeletConfiguration } from './schema/kubelet-configuration.ts';

/** Part of a valid configuration that stops the kubelet when it starts. */
export interface StartProblem {
  readonly part: 'eviction' | 'kubeReserved' | 'systemReserved' | 'qosReserved';
  readonly message: string;
}

const SIGNALS: readonly string[] = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
];
const RESERVABLE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** Returns what stops the kubelet although the configuration is valid: thresholds and reservations that cannot be read. */
export function findStartProblems(configuration: KubeletConfiguration): StartProblem[] {
  const {
    evictionHard = {},
    evictionSoft = {},
    evictionSoftGracePeriod = {},
    evictionMinimumReclaim = {},
  } = configuration;
  const problems: StartProblem[] = [];
  const check = (part: StartProblem['part'], values: Readonly<Record<string, string>>, find: ValueCheck): void => {
    for (const [name, value] of Object.entries(values)) {
      const message = find(name, value);
      if (message !== undefined) problems.push({ part, message });
    }
  };
  check('eviction', evictionHard, findThresholdProblem);
  check('eviction', evictionSoft, (signal, value) => {
    const problem = findThresholdProblem(signal, value);
    if (problem !== undefined || isIgnoredThreshold(value) || signal in evictionSoftGracePeriod) return problem;
    return `evictionSoft: a grace period must be specified for ${signal} in evictionSoftGracePeriod`;
  });
  check('eviction', evictionSoftGracePeriod, findGracePeriodProblem);
  check('eviction', evictionMinimumReclaim, findReclaimProblem);
  check('qosReserved', configuration.qosReserved ?? {}, findQosReservationProblem);
  for (const part of ['kubeReserved', 'systemReserved'] as const)
    check(part, configuration[part] ?? {}, (resource, amount) => findReservationProblem(part, resource, amount));
  return problems;
}

type ValueCheck = (name: string, value: string) => string | undefined;

/** Percentages that no node can be short of or always is; the kubelet drops such thresholds. */
function isIgnoredThreshold(value: string): boolean {
  return value === '0%' || value === '100%';
}

function findThresholdProblem(signal: string, value: string): string | undefined {
  if (isIgnoredThreshold(value)) return undefined;
  if (!SIGNALS.includes(signal)) return `unsupported eviction signal "${signal}"`;
  if (!value.endsWith('%')) {
    if ((signOfQuantity(value) ?? -1) > 0) return undefined;
    return `eviction threshold "${value}" of ${signal} must be a positive quantity`;
  }
  const percentage = readPercentage(value);
  if (percentage === undefined || percentage < 0 || percentage > 100)
    return `eviction threshold "${value}" of ${signal} must be a percentage from 0% to 100%`;
  return undefined;
}

function findGracePeriodProblem(signal: string, value: string): string | undefined {
  if (!SIGNALS.includes(signal)) return `unsupported eviction signal "${signal}"`;
  const ms = parseGoDuration(value);
  return ms === undefined || ms < 0 ? `eviction grace period "${value}" of ${signal} must be a duration` : undefined;
}

function findReclaimProblem(signal: string, value: string): string | undefined {
  if (!SIGNALS.includes(signal)) return `unsupported eviction signal "${signal}"`;
  const isValid = value.endsWith('%') ? (readPercentage(value) ?? -1) > 0 : (signOfQuantity(value) ?? -1) >= 0;
  return isValid ? undefined : `minimum eviction reclaim "${value}" of ${signal} must be a positive amount`;
}

function findQosReservationProblem(resource: string, value: string): string | undefined {
  if (resource !== 'memory') return `qosReserved: only memory can be reserved, not ${resource}`;
  const percentage = /^[+-]?\d+%+$/.test(value) ? parseInt(value, 10) : -1;
  return percentage < 0 || percentage > 100 ? `qosReserved "${value}" must be from 0% to 100%` : undefined;
}

function findReservationProblem(field: string, resource: string, amount: string): string | undefined {
  if (!RESERVABLE.includes(resource)) return `${field}: cannot reserve ${resource}, only ${RESERVABLE.join(', ')}`;
  const sign = signOfQuantity(amount);
  if (sign === undefined) return `${field}: "${amount}" of ${resource} is no quantity`;
  return sign < 0 ? `${field}: "${amount}" of ${resource} must not be negative` : undefined;
}

/** Negative, zero or positive; `undefined` when the text is no quantity. */
function signOfQuantity(text: string): number | undefined {
  try {
    return compareQuantities(parseQuantity(text), zeroQuantity);
  } catch {
    return undefined;
  }
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/;

/** Reads a percentage as Go reads floats: digits may be separated by underscores. */
function readPercentage(value: string): number | undefined {
  const digits = value.slice(0, -1);
  if (/^[+-]?nan$/i.test(digits)) return NaN;
  if (!/\d/.test(digits) || !FLOAT.test(digits)) return undefined;
  return Number(digits.replaceAll('_', ''));
}
