import type { FieldProblem } from '@rxlet/pod-model/validation';

/** Reason for which a manifest gives no pod. */
export type ManifestErrorReason =
  /** Neither YAML nor JSON. */
  | 'NotYaml'
  /** It is empty. */
  | 'Empty'
  /** It contains more than one document. */
  | 'SeveralDocuments'
  /** It contains another kind of object, or none. */
  | 'NotAPod'
  /** A field has a value that its type does not allow. */
  | 'WrongFieldType'
  /** The pod fails the API's validation. */
  | 'InvalidPod'
  /** A ConfigMap or Secret fails the API's validation. */
  | 'InvalidObject'
  /** The pod is valid and needs objects of an API server. */
  | 'ReferencesApiObjects';

/** Thrown for a manifest that gives no pod. The message is one line that names the manifest, its problems and the way out. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly reason: ManifestErrorReason;
  /** Path or URL of the manifest. */
  readonly manifest: string;
  /** The message without the manifest. */
  readonly detail: string;
  /** The invalid fields; empty unless the reason is one of fields. */
  readonly problems: readonly FieldProblem[];

  constructor(reason: ManifestErrorReason, manifest: string, detail: string, problems: readonly FieldProblem[] = []) {
    super(`${manifest}: ${detail}`);
    this.detail = detail;
    this.reason = reason;
    this.manifest = manifest;
    this.problems = problems;
  }
}
