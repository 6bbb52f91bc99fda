/** Resource usage of a container at one moment. */
export interface ContainerUsage {
  /** Thousandths of a CPU. */
  readonly cpuMillis: number;
  /** Working set in bytes. */
  readonly memoryBytes: bigint;
}

/** A usage that holds from a time after the container's start until the next phase. */
export interface UsagePhase extends ContainerUsage {
  readonly afterMs: number;
}

/** Resource usage of a container over time: phases in the order of their times, the first at 0. Before its first phase it is 0. */
export type UsageModel = readonly UsagePhase[];

const NOTHING: ContainerUsage = { cpuMillis: 0, memoryBytes: 0n };

/** Returns the usage `elapsedMs` after the start. */
export function usageAt(model: UsageModel, elapsedMs: number): ContainerUsage {
  return model.findLast(({ afterMs }) => afterMs <= elapsedMs) ?? NOTHING;
}

/** Returns the CPU time used within `elapsedMs` after the start, in nanoseconds; it never decreases. */
export function cpuNanoseconds(model: UsageModel, elapsedMs: number): bigint {
  let total = 0;
  model.forEach(({ afterMs, cpuMillis }, index) => {
    const untilMs = Math.min(elapsedMs, model[index + 1]?.afterMs ?? Infinity);
    // A thousandth of a CPU for a millisecond is a microsecond.
    if (untilMs > afterMs) total += cpuMillis * (untilMs - afterMs);
  });
  return BigInt(Math.round(total)) * 1000n;
}
