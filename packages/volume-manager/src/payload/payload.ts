/** A file of a volume. */
export interface PayloadFile {
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /** Owner; otherwise the file belongs to the agent's user. */
  readonly fsUser?: number | undefined;
}

/** Files of a volume by their path below it (kubelet: map of FileProjection). */
export type Payload = ReadonlyMap<string, PayloadFile>;

/** A payload that is being collected; a later file of the same path replaces an earlier one. */
export type PayloadDraft = Map<string, PayloadFile>;

/** A volume whose files cannot be collected. The message is the kubelet's. */
export class PayloadError extends Error {
  override readonly name: string = 'PayloadError';
}

/** Returns the mode of the files of a volume that have none of their own. The API always sets it. @throws PayloadError */
export function requireDefaultMode(defaultMode: number | undefined): number {
  if (defaultMode === undefined) throw new PayloadError('no defaultMode used, not even the default value for it');
  return defaultMode;
}
