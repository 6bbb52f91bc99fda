import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { FakeRuntimeOptions } from './options.ts';

/** Check of an option's value, with a description of valid values. */
interface OptionCheck {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const text: OptionCheck = { expected: 'a string', accepts: (value) => typeof value === 'string' };
const list: OptionCheck = { expected: 'a list', accepts: Array.isArray };
const mapping: OptionCheck = {
  expected: 'an object',
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const atLeast = (least: number, most: number): OptionCheck => ({
  expected: `a number from ${String(least)}${most === Infinity ? '' : ` to ${String(most)}`}`,
  accepts: (value) => typeof value === 'number' && value >= least && value <= most,
});
const oneOf = (...values: readonly string[]): OptionCheck => ({
  expected: `one of ${values.join(', ')}`,
  accepts: (value) => values.includes(value as string),
});

const CHECKS: { readonly [K in keyof FakeRuntimeOptions]-?: OptionCheck } = {
  runtimeName: text,
  runtimeVersion: text,
  latencyMs: atLeast(0, Number.MAX_SAFE_INTEGER),
  podNetwork: oneOf('in-process', 'loopback'),
  podCidr: text,
  cgroupDriver: oneOf('systemd', 'cgroupfs'),
  runtimeHandlers: list,
  images: list,
  missingImages: list,
  scripts: mapping,
  imageDiskBytes: atLeast(0, Infinity),
  streaming: mapping,
  eventQueueSize: atLeast(1, Infinity),
};

/** Checks the names and the types of options, for callers without a type checker. Throws InvalidArgument. */
export function checkOptions(options: FakeRuntimeOptions): void {
  checkNames('option', options, Object.keys(CHECKS));
  for (const [name, { expected, accepts }] of Object.entries(CHECKS)) {
    const value: unknown = options[name as keyof FakeRuntimeOptions];
    if (value !== undefined && !accepts(value)) throw invalid(`option "${name}" must be ${expected}`);
  }
}

/** Checks that an object has no fields but the known ones; `kind` names them in the message. Throws InvalidArgument. */
export function checkNames(kind: string, object: object, known: readonly string[]): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`unknown ${kind} "${unknown}"; known are ${known.join(', ')}`);
}

function invalid(message: string): ServiceError {
  return new ServiceError(StatusCode.InvalidArgument, message);
}
