/** Collects the problems of one configuration. */
export interface ProblemReport {
  /** Reports a problem of `fields`. */
  (fields: readonly string[], message: string): void;
}
