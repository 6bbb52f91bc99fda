/** A private containerd cannot be started here, did not come up, or left something behind. The message says why, and what to do or the end of its log. */
export class PrivateContainerdError extends Error {
  override readonly name = 'PrivateContainerdError';
}
