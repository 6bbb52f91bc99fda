/** Why a manifest gives no pod. */
export type ManifestErrorReason =
  /** Neither YAML nor JSON. */
  | 'NotYaml'
  /** Nothing in it. */
  | 'Empty'
  /** More than one document. */
  | 'SeveralDocuments'
  /** Another kind of object, or none. */
  | 'NotAPod'
  /** A field holds what its type does not allow. */
  | 'WrongFieldType'
  /** A pod that the API's validation refuses. */
  | 'InvalidPod'
  /** A valid pod that needs objects of an API server. */
  | 'ReferencesApiObjects';

/** What is wrong with one field. */
export interface FieldProblem {
  /** Where, as in `spec.containers[0].ports[0].containerPort`. */
  readonly field: string;
  /** What, without the name of the field. */
  readonly message: string;
}

/** Thrown for a manifest that gives no pod. The message is one line that names the manifest, all that is wrong with it, and the way out. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly reason: ManifestErrorReason;
  /** Path or URL of the manifest. */
  readonly manifest: string;
  /** The fields that are wrong; empty unless the reason is one of fields. */
  readonly problems: readonly FieldProblem[];

  constructor(reason: ManifestErrorReason, manifest: string, message: string, problems: readonly FieldProblem[] = []) {
    super(`${manifest}: ${message}`);
    this.reason = reason;
    this.manifest = manifest;
    this.problems = problems;
  }
}
