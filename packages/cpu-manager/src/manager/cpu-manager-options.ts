import { goQuote } from '@rxlet/component-base/go';
import { type CpuSet, type MachineTopology, parseCpuSet } from '@rxlet/machine/topology';
import { nodeAllocatableReservation } from '@rxlet/pod-model/resources';
import { CpuPolicyError } from '../cpu-policy-error.ts';
import { type CpuPolicyGates, type CpuPolicyOptions, parseCpuPolicyOptions } from '../policy-options.ts';
import { createStaticCpuPolicy, reservedCpuCount, type StaticCpuPolicy } from '../static-policy.ts';

/** Options of a CPU manager, as in KubeletConfiguration. */
export interface CpuManagerOptions {
  /** `none` or `static` (field `cpuManagerPolicy`). Default `none`. */
  readonly policy?: string | undefined;
  /** Field `cpuManagerPolicyOptions`. */
  readonly policyOptions?: Readonly<Record<string, string>> | undefined;
  readonly gates?: CpuPolicyGates | undefined;
  /** CPUs for the system and the agent, as a list such as `0-1`. Default: as many as are reserved by amount, which the policy chooses. */
  readonly reservedSystemCpus?: string | undefined;
  readonly kubeReserved?: Readonly<Record<string, string>> | undefined;
  readonly systemReserved?: Readonly<Record<string, string>> | undefined;
  /** Whether CFS quotas also hold for containers with CPUs for themselves (feature gate `DisableCPUQuotaWithExclusiveCPUs` off). Default false. */
  readonly limitsExclusiveCpus?: boolean | undefined;
  /** Pause between two comparisons of running containers with their CPUs, in milliseconds. Default 10 000. */
  readonly reconcilePeriodMs?: number | undefined;
  /** Policy of the topology manager. Default `none`. */
  readonly topologyPolicy?: string | undefined;
}

/** Policy as configured. */
export type ConfiguredPolicy =
  | { readonly name: 'none' }
  | {
      readonly name: 'static';
      readonly options: CpuPolicyOptions;
      readonly reservedCpus: CpuSet | undefined;
      readonly reservedCpuCount: number;
      readonly topologyPolicy: string;
    };

/**
 * Reads the options of a CPU manager.
 * @throws CpuPolicyError for an unknown policy, for options that it does not have, and for a static policy without reserved CPUs
 */
export function readPolicy({
  policy = 'none',
  policyOptions = {},
  gates,
  reservedSystemCpus = '',
  kubeReserved = {},
  systemReserved = {},
  topologyPolicy = 'none',
}: CpuManagerOptions): ConfiguredPolicy {
  if (policy === 'none') {
    const names = Object.keys(policyOptions);
    if (names.length === 0) return { name: policy };
    throw new CpuPolicyError(`[cpumanager] the policy "none" does not have the options ${names.join(', ')}`);
  }
  if (policy !== 'static') throw new CpuPolicyError(`[cpumanager] unknown policy: ${goQuote(policy)}`);
  const options = parseCpuPolicyOptions(policyOptions, gates);
  const settings = { name: policy, options, topologyPolicy } as const;
  if (reservedSystemCpus !== '') {
    const reservedCpus = parseCpuSet(reservedSystemCpus);
    if (reservedCpus === undefined)
      throw new CpuPolicyError(`reservedSystemCPUs ${goQuote(reservedSystemCpus)} is no list of CPUs like 0-3,7`);
    return { ...settings, reservedCpus, reservedCpuCount: reservedCpus.size };
  }
  const { cpu } = nodeAllocatableReservation({ cpu: '0' }, { kubeReserved, systemReserved });
  return { ...settings, reservedCpus: undefined, reservedCpuCount: reservedCpuCount(cpu) };
}

/**
 * Creates the configured static policy for a machine.
 * @throws CpuPolicyError when the machine does not suit it
 */
export function staticPolicyOf(
  configured: Extract<ConfiguredPolicy, { name: 'static' }>,
  topology: MachineTopology,
): StaticCpuPolicy {
  return createStaticCpuPolicy({ topology, ...configured });
}
