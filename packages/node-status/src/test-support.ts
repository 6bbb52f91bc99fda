import type { NodeSettings, NodeStatusInputs } from './node-status-inputs.ts';
import { pressureCondition, pressureTypes } from '@rxlet/pod-model/eviction-thresholds';

/** Settings of a node for tests. */
export const testNodeSettings: NodeSettings = {
  name: 'node1',
  operatingSystem: 'linux',
  architecture: 'amd64',
  kubeletVersion: 'v1.36.2',
  declaredFeatures: [],
};

/** Inputs of the status of a healthy node with two cores and 4 GiB, for tests. */
export const testNodeInputs: NodeStatusInputs = {
  settings: testNodeSettings,
  nowMs: Date.UTC(2026, 0, 1),
  addresses: { hostIps: ['192.0.2.1'], nameIps: [], defaultRouteIps: { v4: '192.0.2.1' } },
  machine: {
    cores: 2,
    memoryBytes: 4 * 1024 ** 3,
    swapBytes: 0,
    hugePages: [{ sizeBytes: 2 * 1024 ** 2, count: 8 }],
    machineId: 'machine',
    systemUuid: 'system',
    bootId: 'boot-1',
    kernelVersion: '6.1.0',
    osImage: 'Debian GNU/Linux 13 (trixie)',
  },
  ephemeralStorageBytes: 100 * 1024 ** 3,
  reservation: { cpu: '500m', memory: '1Gi' },
  devices: { capacity: {}, allocatable: {}, removed: [] },
  runtime: { name: 'containerd', version: '2.0.2', handlers: [], features: undefined },
  images: [],
  conditions: pressureTypes.map((type) => pressureCondition(type, false)),
  notReady: [],
  warnings: [],
  fields: {},
};
