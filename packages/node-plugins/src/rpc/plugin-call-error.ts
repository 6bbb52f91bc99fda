/** A failed call of a plugin, with the message of a gRPC status. */
export class PluginCallError extends Error {
  override readonly name = 'PluginCallError';
  /** Name of the status, such as `DeadlineExceeded`. */
  readonly code: string;
  /** Explanation of the plugin. */
  readonly description: string;

  constructor(code: string, description: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
    this.code = code;
    this.description = description;
  }
}
