/** The cgroups of pods on the node, for an agent that makes them itself. */
export interface PodCgroupCleaner {
  /** UIDs of the pods that have a cgroup. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  /** Kills what still runs in a pod's cgroup and removes it. One that is not there is no error. */
  destroy(podUid: string, signal: AbortSignal): Promise<void>;
}
