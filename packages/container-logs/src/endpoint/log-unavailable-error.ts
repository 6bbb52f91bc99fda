/** There is no log of a container, for a reason that the pod's status has. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}
