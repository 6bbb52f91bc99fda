import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { KubeletNode } from './kubelet-node.ts';

/** Facts of a machine without files. */
export const testNode: KubeletNode = {
  facts: {
    memoryCapacityBytes: 8n << 30n,
    allocatable: { cpu: '2', memory: '8Gi' },
    hugePageSizes: ['2MB'],
    cgroupVersion: 2,
    swapAccounting: true,
    swap: { capacityBytes: 4n << 30n },
    extraMaskedPaths: [],
    seLinux: false,
  },
  hostFiles: createMemoryFiles().hostFiles,
  hostname: 'Node1',
  address: '192.0.2.1',
};
