import type { PodAmounts } from '@rxlet/agent-api';
import { type Journal, noopJournal } from '@rxlet/agent-api/journal';
import { type Clock, errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { CgroupDriver } from '@rxlet/pod-model/cgroups';
import { quantityValue } from '@rxlet/pod-model/quantity';
import type { ContainerManagerOptions } from './container-manager-options.ts';
import { createCgroupMetrics, createMemoryQosMetrics } from './metrics.ts';
import { createManagedPodCgroups, type ManagedPodCgroups } from './pods/pod-cgroups.ts';
import type { MachineResources } from './resources/machine-resources.ts';
import { enforceableResources, type Reservations } from './resources/node-resources.ts';
import type { SystemdSlices } from './systemd/slices.ts';
import { CgroupsUnavailable, type OpenCgroups } from './tree/cgroup-file-system.ts';
import { createCgroupTree } from './tree/cgroup-tree.ts';
import { createPodsCgroup, enforcePodsCgroup, enforceReservedCgroups, retryPodsCgroup } from './tree/node-cgroups.ts';
import { parseCgroupName } from './tree/parse-cgroup-name.ts';
import { planNodeCgroups } from './tree/plan-node-cgroups.ts';
import { createQosCgroups, podsName, type QosCgroups } from './tree/qos-cgroups.ts';
import { parseQosReserved } from './values/qos-reserved.ts';

/** The configured cgroup, below which that of all pods would be created, does not exist. */
export class CgroupRootMissing extends Error {
  override readonly name = 'CgroupRootMissing';
}

/** Dependencies of {@link manageCgroups}. */
export interface ManageCgroupsPorts {
  /** Opens the cgroups of the node; see `openHostCgroups`. */
  readonly openCgroups: OpenCgroups;
  /** Opens systemd for the cgroup driver `systemd`; see `openHostSlices`. Default: the cgroups of slices are managed without it. */
  readonly openSlices?: (() => Promise<SystemdSlices>) | undefined;
  /** Asks the runtime for its cgroup driver; `undefined` when it does not report one. */
  readonly runtimeDriver?: ((signal: AbortSignal) => Promise<CgroupDriver | undefined>) | undefined;
  /** Returns the sum of an amount of the pods that have not terminated. */
  sumOfActivePods(amountsOf: PodAmounts, name: string): bigint;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Default: nothing is recorded. */
  readonly journal?: Journal | undefined;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
}

/** The node that {@link manageCgroups} divides. */
export interface ManagedNode {
  readonly machine: MachineResources;
  readonly reservations: Reservations;
  /** Object of the events. */
  readonly node: EventObject;
}

/** The cgroup tree of a node. */
export interface ManagedCgroups {
  readonly pods: ManagedPodCgroups;
  readonly qos: QosCgroups;
  /** Enforces the limits of reserved resources. @throws NodeAllocatableError */
  enforceReserved(): Promise<void>;
}

/**
 * Creates the cgroup tree and begins to enforce its limits.
 *
 * @throws CgroupsUnavailable when nothing can be managed, CgroupRootMissing
 */
export async function manageCgroups(
  ports: ManageCgroupsPorts,
  options: ContainerManagerOptions,
  { machine, reservations, node }: ManagedNode,
  lifetime: Lifetime,
): Promise<ManagedCgroups> {
  const { clock, logger } = ports;
  const memoryReservePercent = parseQosReserved(options.qosReserved);
  const cgroups = await ports.openCgroups();
  const driver = (await ports.runtimeDriver?.(lifetime.signal)) ?? options.cgroupDriver ?? 'cgroupfs';
  const metrics = createCgroupMetrics(ports.metrics ?? noopMetrics, clock);
  metrics.setVersion(cgroups.format.version);
  const slices = driver === 'systemd' ? await ports.openSlices?.() : undefined;
  const tree = createCgroupTree(cgroups, { driver, logger, slices, metrics });
  const root = parseCgroupName(options.cgroupRoot ?? '/', 'cgroupfs');
  if (root.length > 0 && !(await tree.exists(root))) {
    throw new CgroupRootMissing(`invalid configuration: cgroup-root "${tree.pathOf(root)}" doesn't exist`);
  }
  const memoryQos = cgroups.format.version === 2 ? options.memoryQos : undefined;
  if (options.memoryQos !== undefined && memoryQos === undefined)
    logger.warn('memory QoS has no effect with cgroup v1');
  const nodeCgroups = planNodeCgroups(options, { driver, machine, reservations, node, root, memoryQos });
  const { memory } = enforceableResources(machine.capacity, reservations);
  const qos = createQosCgroups(
    {
      tree,
      sumOfActivePods: ports.sumOfActivePods,
      metrics: memoryQos && createMemoryQosMetrics(ports.metrics ?? noopMetrics),
    },
    {
      root,
      memoryQos,
      memoryReservePercent: options.qosReservedEnabled === true ? memoryReservePercent : undefined,
      allocatableMemoryBytes: memory === undefined ? 0 : Number(quantityValue(memory)),
    },
  );
  const nodePorts = { ...ports, tree };
  try {
    await createPodsCgroup(nodePorts, nodeCgroups);
    await qos.create();
  } catch (error) {
    // In a container, for example, the kernel may not let its cgroup have children with controllers.
    throw new CgroupsUnavailable(`cannot create ${tree.pathOf(podsName(root))}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  if (!(await enforcePodsCgroup(nodePorts, nodeCgroups))) {
    void lifetime.track(retryPodsCgroup(nodePorts, nodeCgroups, lifetime.signal)).catch(() => undefined);
  }
  const { cpuCfsQuota = true, cpuCfsQuotaPeriodUs = 100_000, podPidsLimit = -1 } = options;
  const pods = createManagedPodCgroups(
    { cgroups, tree, qos, clock, logger, journal: ports.journal ?? noopJournal },
    { root, driver, memoryQos, enforceCpuLimits: cpuCfsQuota, cpuPeriodUs: cpuCfsQuotaPeriodUs, podPidsLimit },
  );
  return { pods, qos, enforceReserved: () => enforceReservedCgroups(nodePorts, nodeCgroups) };
}
