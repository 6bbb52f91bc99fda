/** Reason for rejecting a checkpoint. */
export type CheckpointErrorReason = 'ChecksumMismatch' | 'InvalidContent' | 'InvalidJson';

/** The checkpoint is damaged or was not written by a kubelet. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly reason: CheckpointErrorReason;

  constructor(reason: CheckpointErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Parses the text of a checkpoint. @throws CheckpointError for a text that is not JSON */
export function parseCheckpointJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CheckpointError('InvalidJson', 'the content is not JSON', { cause: error });
  }
}

/** Returns a part of a checkpoint as an object. @throws CheckpointError that names the `subject` of another value */
export function checkpointObject(value: unknown, subject: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CheckpointError('InvalidContent', `${subject} must be a JSON object`);
}

/** Returns a part of a checkpoint as a list. @throws CheckpointError that names the `subject` of another value */
export function checkpointList(value: unknown, subject: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new CheckpointError('InvalidContent', `${subject} must be a JSON array`);
}
