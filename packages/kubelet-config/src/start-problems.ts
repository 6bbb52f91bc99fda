import { parseGoDuration } from '@rxlet/component-base/go';
import {
  evictionSignal,
  EvictionValueError,
  parseEvictionReclaim,
  parseEvictionThreshold,
} from '@rxlet/pod-model/eviction-thresholds';
import { compareQuantities, parseQuantity, zeroQuantity } from '@rxlet/pod-model/quantity';
import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';

/** Part of a valid configuration that stops the kubelet when it starts. */
export interface StartProblem {
  readonly part: 'eviction' | 'kubeReserved' | 'systemReserved' | 'qosReserved';
  readonly message: string;
}

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
  check('eviction', evictionSoft, (signal, value) => findSoftThresholdProblem(signal, value, evictionSoftGracePeriod));
  check('eviction', evictionSoftGracePeriod, findGracePeriodProblem);
  check('eviction', evictionMinimumReclaim, findReclaimProblem);
  check('qosReserved', configuration.qosReserved ?? {}, findQosReservationProblem);
  for (const part of ['kubeReserved', 'systemReserved'] as const)
    check(part, configuration[part] ?? {}, (resource, amount) => findReservationProblem(part, resource, amount));
  return problems;
}

type ValueCheck = (name: string, value: string) => string | undefined;

function findThresholdProblem(signal: string, value: string): string | undefined {
  return problemOf(() => parseEvictionThreshold(signal, value));
}

function findSoftThresholdProblem(
  signal: string,
  value: string,
  gracePeriods: Readonly<Record<string, string>>,
): string | undefined {
  return problemOf(() => {
    if (parseEvictionThreshold(signal, value) === undefined || signal in gracePeriods) return;
    throw new EvictionValueError(
      `evictionSoft: a grace period must be specified for ${signal} in evictionSoftGracePeriod`,
    );
  });
}

function findGracePeriodProblem(signal: string, value: string): string | undefined {
  return problemOf(() => {
    evictionSignal(signal);
    const ms = parseGoDuration(value);
    if (ms === undefined || ms < 0)
      throw new EvictionValueError(`eviction grace period "${value}" of ${signal} must be a duration`);
  });
}

function findReclaimProblem(signal: string, value: string): string | undefined {
  return problemOf(() => parseEvictionReclaim(signal, value));
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof EvictionValueError) return error.message;
    throw error;
  }
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
