import { goQuote } from '@rxlet/component-base/go';
import { type CpuSet, formatCpuSet, type MachineTopology } from '@rxlet/machine/topology';
import { cpuMillis } from '@rxlet/pod-model/quantity';
import { type CpuLayout, cpuLayout, cpusOf, idsOf } from './cpu-layout.ts';
import { CpuPolicyError, NotEnoughCpusError } from './cpu-policy-error.ts';
import { type CpuChoice, CpuPool } from './cpu-pool.ts';
import { distributeCpus } from './distribute-cpus.ts';
import { type CpuPolicyOptions, noCpuPolicyOptions } from './policy-options.ts';

/** Settings of a static policy. */
export interface StaticCpuPolicySettings {
  readonly topology: MachineTopology;
  /** CPUs reserved for the system and the agent, rounded up to whole ones (`kubeReserved` and `systemReserved`). */
  readonly reservedCpuCount: number;
  /** The reserved CPUs (`reservedSystemCPUs`); without them the policy chooses. */
  readonly reservedCpus?: CpuSet | undefined;
  readonly options?: CpuPolicyOptions;
  /** Policy of the topology manager. */
  readonly topologyPolicy?: string;
  /**
   * Whether to repeat faults of kubelet 1.36. Default: no. They are for comparisons, not for nodes:
   * - where cores or sockets differ in size, a container gets CPUs that others have: a part counts as free when it has as many free CPUs as the average has CPUs;
   * - with `full-pcpus-only`, a container that has its CPUs is rejected after a restart when there are no further cores for another one like it;
   * - with `strict-cpu-reservation`, a restart fails when containers have all other CPUs;
   * - with `distribute-cpus-across-numa` and four or more nodes for a container, other nodes than the chosen ones give their CPUs.
   */
  readonly repeatsFaults?: boolean;
}

/** Rules for the CPUs of a machine: which are reserved, and how others are chosen. */
export interface StaticCpuPolicy {
  readonly layout: CpuLayout;
  readonly options: CpuPolicyOptions;
  /** CPUs that no container gets for itself. */
  readonly reserved: CpuSet;
  /** All CPUs of the cores that the reserved ones belong to. */
  readonly reservedCores: CpuSet;
  readonly repeatsFaults: boolean;
}

/**
 * Creates the static policy of a machine.
 * @throws CpuPolicyError when the machine does not have the reserved CPUs, or does not suit the options
 */
export function createStaticCpuPolicy(settings: StaticCpuPolicySettings): StaticCpuPolicy {
  const { options = noCpuPolicyOptions, reservedCpus, reservedCpuCount, repeatsFaults = false } = settings;
  const layout = cpuLayout(settings.topology);
  if (options.alignBySocket) checkSockets(layout, settings.topologyPolicy);
  const policy = { layout, options, reserved: new Set<number>(), reservedCores: new Set<number>(), repeatsFaults };
  const reserved =
    reservedCpus !== undefined && reservedCpus.size > 0
      ? reservedCpus
      : takeCpus(policy, layout.cpus, Math.min(reservedCpuCount, layout.cpus.size));
  if (reserved.size !== reservedCpuCount) {
    const size = `size of ${formatCpuSet(reserved)} did not equal ${String(reservedCpuCount)}`;
    throw new CpuPolicyError(`[cpumanager] unable to reserve the required amount of CPUs (${size})`);
  }
  const [unknown] = reserved.difference(layout.cpus);
  if (unknown !== undefined) {
    const problem = 'unable to build the reserved physical CPUs from the reserved set';
    throw new CpuPolicyError(`[cpumanager] ${problem}: unknown CPU ID: ${String(unknown)}`);
  }
  return { ...policy, reserved, reservedCores: cpusOf(layout, 'core', idsOf(layout, reserved, 'core')) };
}

/**
 * Returns the number of CPUs that a static policy reserves for the system and the agent: their reservation, rounded up.
 * @throws CpuPolicyError without a reservation, because pods could then have all CPUs for themselves
 */
export function reservedCpuCount(reservation: string | undefined): number {
  const millis = cpuMillis(reservation);
  if (millis > 0) return Math.ceil(millis / 1000);
  throw new CpuPolicyError(
    '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
  );
}

/**
 * Chooses `count` of the available CPUs by the options of the policy.
 * @throws NotEnoughCpusError
 */
export function takeCpus(policy: StaticCpuPolicy, available: CpuSet, count: number): CpuSet {
  const { layout, options, repeatsFaults } = policy;
  if (count <= 0) return new Set();
  if (available.intersection(layout.cpus).size < count) {
    const amounts = `requested=${String(count)}, available=${String(available.size)}`;
    throw new NotEnoughCpusError(`not enough cpus available to satisfy request: ${amounts}`);
  }
  const choice: CpuChoice = {
    spreadsOverCores: options.distributeAcrossCores,
    alignsToUncoreCaches: options.preferUncoreCacheAlignment,
    repeatsFaults,
  };
  const groupSize = options.fullPhysicalCpusOnly ? layout.averageCpus.core : 1;
  if (options.distributeAcrossNuma && count % groupSize === 0) {
    const distributed = distributeCpus(layout, available, count, groupSize, choice);
    if (distributed !== undefined) return distributed;
  }
  const pool = new CpuPool(layout, available, count, choice);
  pool.takePacked();
  return pool.taken;
}

function checkSockets({ groups }: CpuLayout, topologyPolicy: string | undefined): void {
  if (topologyPolicy === 'single-numa-node')
    throw new CpuPolicyError(
      `the CPU manager option ${goQuote('align-by-socket')} is incompatible with the topology manager policy ${topologyPolicy}`,
    );
  if (groups.socket.size > groups.numaNode.size)
    throw new CpuPolicyError(
      `the CPU manager option ${goQuote('align-by-socket')} is incompatible with a machine that has more sockets than NUMA nodes`,
    );
}
