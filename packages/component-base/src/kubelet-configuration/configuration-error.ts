/** Step in which a configuration was rejected. */
export type ConfigurationStage =
  /** The command line. */
  | 'flags'
  /** Reading the files that the command line names. */
  | 'read'
  /** The file of `--config`. */
  | 'decode'
  /** Defaults of the file: its feature gates are unknown, locked or lack a dependency. */
  | 'defaults'
  /** The files of `--config-dir`. */
  | 'merge'
  /** Feature gates of file, drop-ins and flags together. */
  | 'featureGates'
  /** Values of the effective configuration. */
  | 'validation'
  /** Start of the agent: values that are valid but cannot be used, such as an eviction threshold that cannot be read. */
  | 'start';

/** One reason for which a configuration was rejected. */
export interface ConfigurationProblem {
  readonly message: string;
  /** Fields that the problem is about: top-level names, and whole paths below `logging` and `tracing`. */
  readonly fields: readonly string[];
}

/** A configuration was rejected. The message has one line a problem. */
export class KubeletConfigurationError extends Error {
  override readonly name = 'KubeletConfigurationError';
  readonly stage: ConfigurationStage;
  readonly problems: readonly ConfigurationProblem[];

  constructor(stage: ConfigurationStage, problems: readonly (ConfigurationProblem | string)[], options?: ErrorOptions) {
    const all = problems.map((problem) => (typeof problem === 'string' ? { message: problem, fields: [] } : problem));
    super(all.map(({ message }) => message).join('\n'), options);
    this.stage = stage;
    this.problems = all;
  }
}
