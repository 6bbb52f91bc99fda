import { goQuote, parseGoBoolean } from '@rxlet/component-base/go';
import { CpuPolicyError } from './cpu-policy-error.ts';

/** Options of the static policy (field `cpuManagerPolicyOptions`). */
export interface CpuPolicyOptions {
  /** `full-pcpus-only`: containers get whole cores, or are rejected. */
  readonly fullPhysicalCpusOnly: boolean;
  /** `distribute-cpus-across-numa`: a container that needs several NUMA nodes gets equal parts of each. */
  readonly distributeAcrossNuma: boolean;
  /** `align-by-socket`: CPUs are aligned with sockets instead of NUMA nodes. */
  readonly alignBySocket: boolean;
  /** `distribute-cpus-across-cores`: a container gets hardware threads of different cores. */
  readonly distributeAcrossCores: boolean;
  /** `strict-cpu-reservation`: no container runs on the reserved CPUs. */
  readonly strictReservation: boolean;
  /** `prefer-align-cpus-by-uncorecache`: a container gets CPUs that share few last-level caches. */
  readonly preferUncoreCacheAlignment: boolean;
}

/** Feature gates for options that are not stable. */
export interface CpuPolicyGates {
  /** `CPUManagerPolicyAlphaOptions`; off by default. */
  readonly alphaOptions?: boolean;
  /** `CPUManagerPolicyBetaOptions`; on by default. */
  readonly betaOptions?: boolean;
}

type Maturity = 'Alpha' | 'Beta' | 'stable';

const names: Readonly<Record<string, { readonly field: keyof CpuPolicyOptions; readonly maturity: Maturity }>> = {
  'full-pcpus-only': { field: 'fullPhysicalCpusOnly', maturity: 'stable' },
  'strict-cpu-reservation': { field: 'strictReservation', maturity: 'stable' },
  'prefer-align-cpus-by-uncorecache': { field: 'preferUncoreCacheAlignment', maturity: 'stable' },
  'distribute-cpus-across-numa': { field: 'distributeAcrossNuma', maturity: 'Beta' },
  'align-by-socket': { field: 'alignBySocket', maturity: 'Alpha' },
  'distribute-cpus-across-cores': { field: 'distributeAcrossCores', maturity: 'Alpha' },
};

/** Pairs of options that contradict each other. */
const conflicts: readonly (readonly [string, string])[] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

/**
 * Parses the options of the static policy.
 * @throws CpuPolicyError
 */
export function parseCpuPolicyOptions(
  options: Readonly<Record<string, string>>,
  { alphaOptions = false, betaOptions = true }: CpuPolicyGates = {},
): CpuPolicyOptions {
  const enabled: Readonly<Record<Maturity, boolean>> = { Alpha: alphaOptions, Beta: betaOptions, stable: true };
  const parsed: { -readonly [Field in keyof CpuPolicyOptions]: boolean } = { ...noCpuPolicyOptions };
  for (const [name, text] of Object.entries(options)) {
    const option = Object.hasOwn(names, name) ? names[name] : undefined;
    if (option === undefined) throw new CpuPolicyError(`unknown CPU Manager Policy option: ${goQuote(name)}`);
    const { field, maturity } = option;
    if (!enabled[maturity])
      throw new CpuPolicyError(
        `CPU Manager Policy ${maturity}-level Options not enabled, but option ${goQuote(name)} provided`,
      );
    const value = parseGoBoolean(text);
    if (value === undefined)
      throw new CpuPolicyError(`bad value for option ${goQuote(name)}: ${goQuote(text)} is neither true nor false`);
    parsed[field] = value;
  }
  for (const [first, second] of conflicts)
    if (parsed[names[first]!.field] && parsed[names[second]!.field])
      throw new CpuPolicyError(`static policy options ${first} and ${second} can not be used at the same time`);
  return parsed;
}

/** Options of a policy without any. */
export const noCpuPolicyOptions: CpuPolicyOptions = {
  fullPhysicalCpusOnly: false,
  distributeAcrossNuma: false,
  alignBySocket: false,
  distributeAcrossCores: false,
  strictReservation: false,
  preferUncoreCacheAlignment: false,
};
