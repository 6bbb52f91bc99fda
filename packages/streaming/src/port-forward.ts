/** Protocol of port-forwarding over SPDY. */
export const PORT_FORWARD = 'portforward.k8s.io';

/** Returns the message of a connection that could not be forwarded, as runtimes send it on the stream for errors. */
export function forwardErrorMessage(port: number, pod: string, cause: string): string {
  // The streaming library has a place for a UID, which runtimes leave empty.
  return `error forwarding port ${String(port)} to pod ${pod}, uid : ${cause}`;
}
