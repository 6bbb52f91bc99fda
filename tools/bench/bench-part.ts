/** How a part of the benchmark is run. */
export interface BenchRun {
  /** Writes one line of results. */
  print(line: string): void;
  /** More samples, and the slow sizes. */
  readonly long: boolean;
  /** Says where the CPU time of the measured agent goes, in parts that can; the other figures are then worse by what that costs. */
  readonly profile: boolean;
}

/** A part of the benchmark, which can be asked for by its name. */
export interface BenchPart {
  readonly name: string;
  /** One line: what is measured. */
  readonly about: string;
  /** Whether it runs when no part is asked for. */
  readonly byDefault: boolean;
  run(run: BenchRun): Promise<void>;
}
