/** Faults of a list of modules, or of one module. */
export type ModuleErrorReason =
  /** Two modules have the same name. */
  | 'DuplicateModule'
  /** Two modules provide the same service. */
  | 'DuplicateService'
  /** Two modules make a contribution that must be unique: an endpoint path, a condition type, a source name, mirror pods. */
  | 'DuplicateContribution'
  /** A module makes a contribution that does not exist, or one with a member that does not exist. */
  | 'UnknownContribution'
  /** No module provides a service that a module needs. */
  | 'MissingService'
  /** No module runs a collection that a module contributes to. */
  | 'MissingCollection'
  /** Modules need each other in a circle. */
  | 'CyclicNeeds'
  /** A module does not return a service that it declares, or returns one that it does not. */
  | 'WrongServices';

/** The modules do not fit together. No agent was created. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
  readonly reason: ModuleErrorReason;

  constructor(reason: ModuleErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
