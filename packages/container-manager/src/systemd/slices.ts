/** Port to systemd, which owns all cgroups of a node with the cgroup driver `systemd`. */
export interface SystemdSlices {
  /** Starts a slice, and those above it. Succeeds when it is active. */
  start(slice: string): Promise<void>;
  /** Sets properties until the next boot: `CPUWeight=79`. */
  setProperties(slice: string, properties: readonly string[]): Promise<void>;
  /** Stops a slice, which kills all its processes. Succeeds when there is none. */
  stop(slice: string): Promise<void>;
}

/** systemd does not run, or rejects a call. */
export class SystemdError extends Error {
  override readonly name = 'SystemdError';
}
