/** Options of a run of a part of the benchmark. */
export interface BenchRun {
  /** Writes one line of results. */
  print(line: string): void;
  /** More samples, and the slow sizes. */
  readonly long: boolean;
  /** Profiles the measured agent, in parts that support it. The profiler makes the other figures worse. */
  readonly profile: boolean;
  /** Numbers of pods, in parts that support it. Default: the part's own. */
  readonly podCounts?: readonly number[] | undefined;
}

/** A part of the benchmark, selected by its name. */
export interface BenchPart {
  readonly name: string;
  /** Description of one line. */
  readonly about: string;
  /** Whether it runs when no part is selected. */
  readonly byDefault: boolean;
  run(run: BenchRun): Promise<void>;
}
