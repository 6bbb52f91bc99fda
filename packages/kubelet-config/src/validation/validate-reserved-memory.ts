import { isZeroQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

const FIELD = 'reservedMemory';

/** Validates the memory that is reserved on NUMA nodes. */
export function validateReservedMemory({ reservedMemory = [] }: KubeletConfiguration, report: ProblemReport): void {
  const seen = new Set<string>();
  for (const { numaNode = 0, limits = {} } of reservedMemory) {
    for (const [resource, amount] of Object.entries(limits)) {
      const where = `${FIELD} of NUMA node ${String(numaNode)}`;
      if (resource !== 'memory' && !resource.startsWith('hugepages-'))
        report([FIELD], `${where}: only memory and hugepages-<size> can be reserved, not ${resource}`);
      if (isZeroQuantity(parseQuantity(amount))) report([FIELD], `${where}: ${resource} must not be zero`);
      const key = `${String(numaNode)}/${resource}`;
      if (seen.has(key)) report([FIELD], `${where}: ${resource} is there twice`);
      seen.add(key);
    }
  }
}
