import { makeQuantity, type ParsedQuantity, type QuantityFormat } from '@rxlet/pod-model/quantity';
import type { EvictionSignal } from '@rxlet/pod-model/eviction-thresholds';
import type { FileSystemUse, MemoryUse, NodeSummary } from './node-summary.ts';

/** Measurement of a signal. */
export interface Observation {
  readonly available: ParsedQuantity;
  readonly capacity: ParsedQuantity;
  /** Time of the measurement; 0: unknown. */
  readonly time: number;
}

/** Observations by signal. A signal that was not measured is absent. */
export type Observations = ReadonlyMap<EvictionSignal, Observation>;

/** Name of the cgroup of all pods in the summary. */
const PODS = 'pods';

/** Derives the signals from the node's statistics. */
export function observe({ node }: NodeSummary): Observations {
  const { runtime, rlimit } = node;
  const pods = node.systemContainers?.find(({ name }) => name === PODS);
  const entries: readonly (readonly [EvictionSignal, Observation | undefined])[] = [
    ['memory.available', observeMemory(node.memory)],
    ['allocatableMemory.available', observeMemory(pods?.memory)],
    ['nodefs.available', observeSpace(node.fs)],
    ['nodefs.inodesFree', observeInodes(node.fs)],
    ['imagefs.available', observeSpace(runtime?.imageFs)],
    ['imagefs.inodesFree', observeInodes(runtime?.imageFs)],
    ['containerfs.available', observeSpace(runtime?.containerFs)],
    ['containerfs.inodesFree', observeInodes(runtime?.containerFs)],
    ['pid.available', rlimit && observation(difference(rlimit.maxpid, rlimit.curproc), rlimit.maxpid, rlimit.time)],
  ];
  return new Map(
    entries.flatMap(([signal, observed]) => (observed === undefined ? [] : [[signal, observed] as const])),
  );
}

function observeMemory(memory: MemoryUse | undefined): Observation | undefined {
  const { availableBytes, workingSetBytes, time = 0 } = memory ?? {};
  if (availableBytes === undefined || workingSetBytes === undefined) return undefined;
  return observation(availableBytes, availableBytes + workingSetBytes, time, 'binarySI');
}

function observeSpace(fs: FileSystemUse | undefined): Observation | undefined {
  return observation(fs?.availableBytes, fs?.capacityBytes, fs?.time ?? 0, 'binarySI');
}

function observeInodes(fs: FileSystemUse | undefined): Observation | undefined {
  return observation(fs?.inodesFree, fs?.inodes, fs?.time ?? 0);
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

function observation(
  available: number | undefined,
  capacity: number | undefined,
  time: number,
  format: QuantityFormat = 'decimalSI',
): Observation | undefined {
  if (available === undefined || capacity === undefined) return undefined;
  return { available: makeQuantity(available, 0, format), capacity: makeQuantity(capacity, 0, format), time };
}
