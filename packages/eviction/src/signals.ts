import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';

/** Resource of which a node is short. `inodes` and `pids` are no resources of the API. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** Condition of a node under pressure. */
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** Returns the resource that a signal measures. */
export function resourceOf(signal: EvictionSignal): StarvedResource {
  if (isMemorySignal(signal)) return 'memory';
  if (signal === 'pid.available') return 'pids';
  return signal.endsWith('.inodesFree') ? 'inodes' : 'ephemeral-storage';
}

/** Returns the condition of a node that is beyond a threshold of the signal. */
export function conditionOf(signal: EvictionSignal): PressureCondition {
  if (isMemorySignal(signal)) return 'MemoryPressure';
  return signal === 'pid.available' ? 'PIDPressure' : 'DiskPressure';
}

/** Reports whether a signal measures memory. Memory is reclaimed first. */
export function isMemorySignal(signal: EvictionSignal): boolean {
  return signal === 'memory.available' || signal === 'allocatableMemory.available';
}
