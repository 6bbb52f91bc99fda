/** The agent cannot start with its configuration. The message names the problem, its place and the way out. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** The command line is wrong: the exit code is 2, as of kubectl and most Unix commands. */
export class UsageError extends ConfigError {
  override readonly name = 'UsageError';
}
