/** The agent cannot start as it was told to. The message says what is wrong, where, and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
