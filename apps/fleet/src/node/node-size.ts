/** Size of a node. */
export interface NodeSize {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Size of the disk of images, volumes and logs. */
  readonly diskBytes: number;
  readonly maxPods: number;
}

/** Boots of a machine. */
export interface Boots {
  /** From 1. */
  count: number;
  /** Time of the last one. */
  timeMs: number;
}
