/** Waiting reason of a container, or of a pod's containers, after a {@link ConfigError}. */
export type ConfigErrorReason = 'CreateContainerConfigError' | 'CreatePodSandboxError';

/** Longest message; the rest is cut off. A pod's definition may have texts of a megabyte. */
const MAX_MESSAGE_LENGTH = 2_048;

/** A pod's definition cannot be converted to a request to the runtime. No request was sent. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly reason: ConfigErrorReason;

  constructor(reason: ConfigErrorReason, message: string, options?: ErrorOptions) {
    super(message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH)}…`, options);
    this.reason = reason;
  }
}

/** Creates the error for a container whose definition is invalid or refers to something that does not exist. */
export function containerConfigError(message: string, options?: ErrorOptions): ConfigError {
  return new ConfigError('CreateContainerConfigError', message, options);
}

/** Creates the error for a pod whose sandbox cannot be configured. */
export function sandboxConfigError(message: string): ConfigError {
  return new ConfigError('CreatePodSandboxError', message);
}
