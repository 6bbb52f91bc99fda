import { otherPods, type PodAmounts } from '@rxlet/agent-api';
import type { QosClass } from '@rxlet/pod-model';
import { type CgroupName, podsCgroupName, qosCgroupName } from '@rxlet/pod-model/cgroups';
import type { CgroupValues } from '../values/cgroup-values.ts';
import type { MemoryQosMetrics } from '../metrics.ts';
import { type QosOptions, type QosValues, qosValues, withAttainableMemory } from '../values/qos-values.ts';
import type { CgroupTree } from './cgroup-tree.ts';

/** Dependencies of {@link createQosCgroups}. */
export interface QosCgroupsPorts {
  readonly tree: CgroupTree;
  /** Returns the sum of an amount of the pods that have not terminated. */
  sumOfActivePods(amountsOf: PodAmounts, name: string): bigint;
  /** Records the protected memory. Default: nothing is recorded. */
  readonly metrics?: MemoryQosMetrics | undefined;
}

/** Options of {@link createQosCgroups}. */
export interface QosCgroupsOptions extends QosOptions {
  /** Cgroup below which the cgroup of all pods is. */
  readonly root: CgroupName;
  /** Memory for pods; 0 when it is unknown. */
  readonly allocatableMemoryBytes: number;
}

/** Cgroups of the QoS classes. */
export interface QosCgroups {
  /** Creates the cgroups. The cgroup of all pods must exist. */
  create(): Promise<void>;
  /**
   * Sets the values for the present pods. Values that are in effect already are not written again unless `rewrite` is set. Calls that come during an update share the
   * next one. Rejects when a value cannot be set.
   */
  update(options?: { readonly rewrite?: boolean }): Promise<void>;
}

const CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];

/** Creates {@link QosCgroups}. */
export function createQosCgroups(
  { tree, sumOfActivePods, metrics }: QosCgroupsPorts,
  options: QosCgroupsOptions,
): QosCgroups {
  const written = new Map<QosClass, string>();
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const write = async (values: QosValues): Promise<Error | undefined> => {
    let failure: Error | undefined;
    for (const qosClass of CLASSES) {
      const text = JSON.stringify(values[qosClass]);
      if (written.get(qosClass) === text) continue;
      try {
        await tree.update(qosName(options.root, qosClass), values[qosClass]);
        written.set(qosClass, text);
      } catch (error) {
        failure ??= error as Error;
      }
    }
    return failure;
  };

  const attainable = async (values: QosValues): Promise<QosValues> => {
    const adjusted: Record<QosClass, CgroupValues> = { ...values };
    for (const qosClass of CLASSES) {
      const usage = await tree.memoryUsage(qosName(options.root, qosClass));
      if (usage !== undefined) adjusted[qosClass] = withAttainableMemory(values[qosClass], usage);
    }
    return adjusted;
  };

  const updateOnce = async (): Promise<void> => {
    const values = qosValues(sumOfActivePods, options.allocatableMemoryBytes, options);
    const { memoryLowBytes = 0 } = values.Burstable;
    // The memory of all pods includes that of Burstable ones, so that their protection has an effect.
    metrics?.protect((values.Guaranteed.memoryMinBytes ?? 0) - memoryLowBytes, memoryLowBytes);
    let failure = await write(values);
    if (failure !== undefined && options.memoryReservePercent !== undefined) {
      failure = await write(await attainable(values));
    }
    if (failure !== undefined) throw failure;
  };

  const start = (): Promise<void> => {
    const update = updateOnce().finally(() => {
      if (running === update) running = undefined;
    });
    running = update;
    return update;
  };

  return {
    async create() {
      for (const qosClass of ['Burstable', 'BestEffort'] as const) {
        const values = qosValues(otherPods([]).sum, 0)[qosClass];
        // Burstable keeps its shares over a restart until the pods are known.
        const initial = qosClass === 'Burstable' ? { hugePageLimits: values.hugePageLimits } : values;
        await tree.create(qosName(options.root, qosClass), initial);
      }
    },
    update({ rewrite = false } = {}) {
      if (rewrite) written.clear();
      if (running === undefined) return start();
      next ??= running
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
  };
}

/** Returns the name of the cgroup of a QoS class below the cgroup root. */
export function qosName(root: CgroupName, qosClass: QosClass): CgroupName {
  return [...root, ...qosCgroupName(qosClass)];
}

/** Returns the name of the cgroup of all pods. */
export function podsName(root: CgroupName): CgroupName {
  return [...root, ...podsCgroupName];
}
