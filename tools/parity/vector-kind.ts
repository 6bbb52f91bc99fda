/** What the packages answer to one vector, and what a kubelet answered; in a form in which equal values mean the same answer. */
export interface Answer {
  readonly got: unknown;
  readonly want: unknown;
}

/**
 * Runs one vector, a line of the file of its kind, against the packages. It finds the vector frozen: what writes to its input fails. Whatever it
 * throws fails the vector, and no other one.
 */
export type RunVector = (vector: never) => Answer | Promise<Answer>;
