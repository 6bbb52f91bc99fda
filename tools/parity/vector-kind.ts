/** Answers of the packages and of a kubelet to one vector, in a form in which equal values mean the same answer. */
export interface Answer {
  readonly got: unknown;
  readonly want: unknown;
}

/**
 * Runs one vector, a line of the file of its kind, against the packages. The vector is frozen, so that code that writes to its input fails. A throw fails this
 * vector only.
 */
export type RunVector = (vector: never) => Answer | Promise<Answer>;
