/** Progress of a drain. */
export interface DrainStatus {
  readonly phase: 'none' | 'draining' | 'drained';
  /** Number of pods that have not ended. */
  readonly podsLeft: number;
}
