import type { NodeResources, PodCgroups } from '@rxlet/agent-api/node';
import { createLifetime, errorMessage, sleep } from '@rxlet/component-base';
import type { EventObject } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import type { Machine } from '@rxlet/machine';
import { makeQuantity, type ParsedQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import type { ResourceAmounts } from '@rxlet/pod-model/resources';
import type { ContainerManagerOptions } from './container-manager-options.ts';
import { createCgroupMetrics, createMemoryQosMetrics } from './metrics.ts';
import { type ManageCgroupsPorts, type ManagedCgroups, manageCgroups } from './manage-cgroups.ts';
import { type MachineResources, readMachineResources } from './resources/machine-resources.ts';
import {
  allocatableResources,
  formatAmounts,
  parseReservation,
  type Reservations,
} from './resources/node-resources.ts';
import { checkSystem, moveProcesses, type SystemPorts } from './system/system.ts';
import { CgroupsUnavailable } from './tree/cgroup-file-system.ts';
import type { QosCgroups } from './tree/qos-cgroups.ts';
import { hasThrottlingLivelock } from './values/memory-qos.ts';
import { parseQosReserved } from './values/qos-reserved.ts';

/** Ports of {@link createContainerManager}. */
export interface ContainerManagerPorts extends ManageCgroupsPorts, SystemPorts {
  readonly machine: Machine;
}

/** The kubelet's container manager: cgroups of the node and of its pods, and the node's resources. */
export interface ContainerManager extends AsyncDisposable {
  /**
   * Reads the machine, creates the cgroup tree and enforces node allocatable. Without usable cgroups it logs one warning, and pods run in the cgroups that the
   * runtime chooses. Rejects when reservations exceed the machine, reserved resources cannot be enforced, or the node does not meet a requirement of the options.
   */
  start(): Promise<void>;
  /** Creates the cgroup of a pod unless it exists. Without managed cgroups it does nothing, as all calls for pods. */
  ensurePod(pod: Pod): Promise<void>;
  /** Kills what is left in the cgroup of a pod and removes it. Rejects while processes remain. */
  removePod(podUid: string, signal?: AbortSignal): Promise<void>;
  /** Removes the cgroups of stopped pods. A failure concerns one pod and is logged. */
  removePods(stopped: StoppedPods, signal?: AbortSignal): Promise<void>;
  /** Updates the cgroups of the QoS classes after pods have come or gone. A failure is logged. */
  updateQos(): Promise<void>;
  /** Cgroups of the pods. */
  readonly podCgroups: PodCgroups;
  /** Resources of the node. Empty before the start. */
  readonly resources: NodeResources;
}

/** Names the pods whose cgroups must stay. */
export interface StoppedPods {
  /** Reports whether the pod may have containers. */
  isKept(podUid: string): boolean;
  /** Reports whether the pod has volumes. Memory that they use would be charged to the parent cgroup; the pod's is throttled instead of removed. */
  hasVolumes(podUid: string): Promise<boolean>;
}

const QOS_UPDATE_PERIOD_MS = 60_000;
const DEFAULT_MAX_PODS = 110;

/**
 * Creates a {@link ContainerManager}. Disposal leaves the cgroups, because pods keep running.
 *
 * @throws ReservationError or QosReservedError for options that cannot be used
 */
export function createContainerManager(
  ports: ContainerManagerPorts,
  options: ContainerManagerOptions,
): ContainerManager {
  const { clock, logger } = ports;
  const { nodeName, rootDirectory, cgroupsPerQOS = true } = options;
  const lifetime = createLifetime();
  const reservations: Reservations = {
    kubeReserved: parseReservation('kubeReserved', options.kubeReserved),
    systemReserved: parseReservation('systemReserved', options.systemReserved),
  };
  parseQosReserved(options.qosReserved);
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: nodeName };
  let capacity: ResourceAmounts = {};
  let allocatable: ResourceAmounts = {};
  let managed: ManagedCgroups | undefined;
  // Registered before the start, so that the list of metrics does not depend on it.
  createCgroupMetrics(ports.metrics ?? noopMetrics, clock);
  if (options.memoryQos !== undefined) createMemoryQosMetrics(ports.metrics ?? noopMetrics);

  const updateQos = async (qos: QosCgroups, rewrite: boolean): Promise<void> => {
    try {
      await qos.update({ rewrite });
    } catch (error) {
      logger.warn('cannot update the cgroups of QoS classes', { error: errorMessage(error) });
    }
  };

  /** Writes the values again although they did not change, because others may have changed the files. */
  const keepUpdating = async (qos: QosCgroups): Promise<void> => {
    for (;;) {
      await sleep(clock, QOS_UPDATE_PERIOD_MS, lifetime.signal);
      await updateQos(qos, true);
    }
  };

  const createTree = async (machine: MachineResources): Promise<ManagedCgroups> => {
    const tree = await lifetime.track(manageCgroups(ports, options, { machine, reservations, node }, lifetime));
    await tree.enforceReserved();
    void lifetime.track(keepUpdating(tree.qos)).catch(() => undefined);
    return tree;
  };

  return {
    async start() {
      await checkSystem(ports, options);
      if (options.memoryQos !== undefined) {
        const { kernelVersion } = await ports.machine.facts();
        if (hasThrottlingLivelock(kernelVersion))
          logger.warn('throttling of memory may block processes on kernels before 5.9', { kernelVersion });
      }
      const machine = await readMachineResources(ports.machine, rootDirectory);
      const { pid: _processes, ...reported } = machine.capacity;
      const pods = makeQuantity(podCapacity(options, reported['cpu']));
      capacity = { ...reported, pods };
      const { pid: _left, ...left } = allocatableResources(machine.capacity, options);
      allocatable = { ...left, pods };
      try {
        if (cgroupsPerQOS) managed = await createTree(machine);
      } catch (error) {
        if (!(error instanceof CgroupsUnavailable)) throw error;
        const consequence = 'pods run in cgroups that the runtime chooses, and limits of whole pods are not enforced';
        logger.warn(`cannot manage cgroups: ${consequence}`, { error: error.message });
      }
      await moveProcesses(ports, options, lifetime);
    },
    async ensurePod(pod) {
      await managed?.pods.ensure(pod);
    },
    async removePod(podUid, signal) {
      await managed?.pods.remove(podUid, signal);
    },
    async removePods({ isKept, hasVolumes }, signal) {
      if (managed === undefined) return;
      for (const podUid of await managed.pods.list()) {
        if (isKept(podUid)) continue;
        try {
          if (await hasVolumes(podUid)) await managed.pods.throttle(podUid);
          else await managed.pods.remove(podUid, signal);
        } catch (error) {
          signal?.throwIfAborted();
          logger.warn('cannot remove the cgroup of a pod', { podUid, error: errorMessage(error) });
        }
      }
    },
    async updateQos() {
      if (managed !== undefined) await updateQos(managed.qos, false);
    },
    podCgroups: {
      parentOf: (pod) => managed?.pods.parentOf(pod) ?? '',
      podsPath: () => managed?.pods.podsPath(),
      read: async (pod, signal) => managed?.pods.read(pod, signal),
      async write(pod, values, signal) {
        await managed?.pods.write(pod, values, signal);
      },
    },
    resources: {
      capacity: () => formatAmounts(capacity),
      allocatable: () => formatAmounts(allocatable),
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Returns the largest number of pods on the node. */
function podCapacity(
  { maxPods = DEFAULT_MAX_PODS, podsPerCore = 0 }: ContainerManagerOptions,
  cpu: ParsedQuantity | undefined,
): number {
  if (podsPerCore <= 0 || cpu === undefined) return maxPods;
  return Math.min(maxPods, Number(quantityValue(cpu)) * podsPerCore);
}
