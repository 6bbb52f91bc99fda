/** A private containerd cannot be started here, did not come up, or left resources behind. The message has the cause, and the remedy or the end of its log. */
export class PrivateContainerdError extends Error {
  override readonly name = 'PrivateContainerdError';
}
