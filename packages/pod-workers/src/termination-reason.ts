/** Cause of a pod's termination. */
export type TerminationReason =
  /** The pod was deleted: its source no longer has it, or its deletionTimestamp is set. */
  | 'deleted'
  /** The pod is in the runtime, but in no source. */
  | 'orphaned'
  /** Its phase is Succeeded or Failed: all its containers have ended and none restarts. */
  | 'completed'
  /** The node needs its resources. */
  | 'evicted'
  /** A component of the node requested it. */
  | 'killed';
