/** The node does not meet a requirement of the configuration. */
export class SystemCheckError extends Error {
  override readonly name = 'SystemCheckError';
}
