/** A kubeconfig that cannot be used. The message names the file and the field. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}
