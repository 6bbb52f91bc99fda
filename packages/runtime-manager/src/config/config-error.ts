/** Which part of a pod could not be turned into a request to the runtime: the waiting reason or event it leads to. */
export type ConfigErrorReason = 'CreateContainerConfigError' | 'CreatePodSandboxError';

/** A pod asks for something that cannot be turned into a request to the runtime. Nothing was sent. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly reason: ConfigErrorReason;

  constructor(reason: ConfigErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A container's definition is at fault, or something it refers to is missing. */
export function containerConfigError(message: string): ConfigError {
  return new ConfigError('CreateContainerConfigError', message);
}

/** The definition of the pod as a whole is at fault. */
export function sandboxConfigError(message: string): ConfigError {
  return new ConfigError('CreatePodSandboxError', message);
}
