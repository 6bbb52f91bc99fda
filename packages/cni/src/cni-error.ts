/** Reasons of a {@link CniError}. */
export type CniErrorReason =
  /** No usable network configuration was found. */
  | 'NotConfigured'
  /** The request has a field that plugins cannot take, such as a container id with a slash. */
  | 'InvalidRequest'
  /** No folder of plugins has the program. */
  | 'PluginNotFound'
  /** The plugin does not support the version of the configuration. */
  | 'IncompatibleVersion'
  /** The plugin reported a failure, or printed something else than a result. */
  | 'PluginFailed'
  /** The plugin did not end in time and was killed. */
  | 'DeadlineExceeded';

/** Details of a {@link CniError}. */
export interface CniErrorDetails extends ErrorOptions {
  /** Error code of the specification, from the plugin's answer. */
  readonly code?: number | undefined;
}

/** A failed network operation. */
export class CniError extends Error {
  override readonly name = 'CniError';
  readonly reason: CniErrorReason;
  /** Error code of the specification: below 100 the specification's, from 100 on the plugin's own. */
  readonly code: number | undefined;

  constructor(reason: CniErrorReason, message: string, details: CniErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.reason = reason;
    this.code = details.code;
  }
}
