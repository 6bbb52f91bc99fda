/** A step of a check: one command of the shell. */
export interface Step {
  readonly name: string;
  readonly command: string;
  /** Leaves the processors to other steps that need them. */
  readonly nice?: boolean;
  /** A failure is named at the end, and fails neither the other steps nor the check. For steps that search for defects which the change need not have made. */
  readonly isAdvisory?: boolean;
}

/** Lanes that run side by side; the steps of a lane run one after the other. */
export type Stage = readonly (readonly Step[])[];
