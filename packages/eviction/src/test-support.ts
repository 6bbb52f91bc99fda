import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import type { EvictionSettings, EvictionState } from './eviction-state.ts';
import { initialEvictionState } from './eviction-state.ts';
import type { NodeSummary, PodUse } from './node-summary.ts';
import { parseThresholds, type ThresholdConfiguration } from './parse-thresholds.ts';
import type { EvictionDecision, EvictionObservation } from './synchronize.ts';

/** Bytes of a mebibyte and a gibibyte. */
export const MI = 2 ** 20;
export const GI = 2 ** 30;

/** A pod that requests memory, in mebibytes; 0 requests none. */
export function memoryPod(name: string, requestMi = 0, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  const resources = requestMi === 0 ? {} : { requests: { memory: `${String(requestMi)}Mi` } };
  return testPod({ name, containers: [{ resources }], spec });
}

/** Memory that a pod uses, in mebibytes. */
export function memoryUse(name: string, usedMi: number): PodUse {
  const memory = { workingSetBytes: usedMi * MI };
  return { podRef: { uid: `uid-${name}` }, memory, containers: [{ name: 'app', memory }] };
}

/** Amounts that are left on a node of 8 GiB memory, 100 GiB disk with 1,000 inodes, and 1,000 processes. */
export interface Left {
  readonly time?: number;
  readonly memoryMi?: number;
  readonly diskGi?: number;
  readonly imagesGi?: number;
  readonly inodes?: number;
  readonly pids?: number;
  readonly pods?: readonly PodUse[];
}

/** Statistics of such a node; what is not given is plentiful. */
export function summary({
  time = 0,
  memoryMi = 4096,
  diskGi = 50,
  imagesGi = diskGi,
  inodes = 500,
  pids = 500,
  pods = [],
}: Left): NodeSummary {
  const fs = (leftGi: number) => ({
    time,
    availableBytes: leftGi * GI,
    capacityBytes: 100 * GI,
    inodes: 1000,
    inodesFree: inodes,
  });
  const memory = { time, availableBytes: memoryMi * MI, workingSetBytes: (8192 - memoryMi) * MI };
  return {
    node: {
      memory,
      fs: fs(diskGi),
      runtime: { imageFs: fs(imagesGi), containerFs: fs(imagesGi) },
      rlimit: { time, maxpid: 1000, curproc: 1000 - pids },
      systemContainers: [{ name: 'pods', memory }],
    },
    pods,
  };
}

/** A state before the first synchronization. */
export function initialState(
  configuration: ThresholdConfiguration,
  settings: Partial<EvictionSettings> = {},
): EvictionState {
  return initialEvictionState({
    thresholds: parseThresholds(configuration),
    pressureTransitionPeriodMs: 300_000,
    maxPodGracePeriodSeconds: 60,
    localStorageCapacityIsolation: true,
    ...settings,
  });
}

/** An observation of a node with one file system. */
export function observation(
  nowSeconds: number,
  pods: readonly Pod[],
  left: Left,
  more: Partial<EvictionObservation> = {},
): EvictionObservation {
  const found = summary({ time: nowSeconds * 1000 + 1, ...left });
  return { nowMs: nowSeconds * 1000, layout: 'shared', pods, summary: found, running: new Set(), ...more };
}

/** Shows actions: `report <resource>`, `reclaim <steps>`, `evict <pod> <seconds>s`. */
export function shown({ actions }: EvictionDecision): string[] {
  return actions.map((action) => {
    if (action.kind === 'report') return `report ${action.resource}`;
    if (action.kind === 'reclaim') return `reclaim ${action.reclaim.steps.join(' ')}`;
    const { pod, gracePeriodSeconds } = action.eviction;
    return `evict ${pod.metadata!.name!} ${String(gracePeriodSeconds)}s`;
  });
}
