import type { ResourceRequirements } from '@rxlet/kube-api';
import { fnv1a32, parseQuantity } from '@rxlet/pod-model';

/** What is on record of one pod. */
export interface PodRecord {
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  readonly pod: ResourceRequirements | undefined;
}

/** Why a checkpoint was not taken for one. */
export type CheckpointErrorReason = 'ChecksumMismatch' | 'InvalidContent' | 'InvalidJson';

/** A checkpoint that was damaged, or written by something else. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly reason: CheckpointErrorReason;

  constructor(reason: CheckpointErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Writes the records of all pods (by UID) as kubelet 1.36 does: `data` is JSON within JSON, so that its checksum does not depend on how a reader would
 * write it.
 */
export function formatActuatedCheckpoint(records: ReadonlyMap<string, PodRecord>): string {
  const entries = Object.fromEntries(
    [...records].map(([uid, { containers, pod }]) => [
      uid,
      { ContainerResources: Object.fromEntries(containers), PodLevelResources: pod ?? null },
    ]),
  );
  const data = JSON.stringify({ entries });
  return JSON.stringify({ data, checksum: checksum(data) });
}

/**
 * Reads what {@link formatActuatedCheckpoint} or a kubelet wrote.
 * @throws CheckpointError
 */
export function parseActuatedCheckpoint(text: string): Map<string, PodRecord> {
  const { data, checksum: written } = objectOf(parseJson(text), 'the file');
  if (typeof data !== 'string') throw new CheckpointError('InvalidContent', 'there is no "data" in it');
  if (written !== checksum(data)) throw new CheckpointError('ChecksumMismatch', 'its checksum is wrong');
  const { entries } = objectOf(parseJson(data), 'its data');
  const records = new Map<string, PodRecord>();
  for (const [uid, entry] of Object.entries(objectOf(entries ?? {}, 'the list of pods'))) {
    const { ContainerResources, PodLevelResources } = objectOf(entry, `pod ${uid}`);
    const containers = Object.entries(objectOf(ContainerResources ?? {}, `pod ${uid}`)).map(
      ([name, resources]) => [name, readResources(resources, `container ${name} of pod ${uid}`)] as const,
    );
    const pod =
      PodLevelResources === null || PodLevelResources === undefined
        ? undefined
        : readResources(PodLevelResources, `pod ${uid}`);
    records.set(uid, { containers: new Map(containers), pod });
  }
  return records;
}

function readResources(value: unknown, subject: string): ResourceRequirements {
  const { limits, requests } = objectOf(value, subject);
  return { ...readList('limits', limits, subject), ...readList('requests', requests, subject) };
}

function readList(field: 'limits' | 'requests', value: unknown, subject: string): ResourceRequirements {
  if (value === undefined || value === null) return {};
  const amounts = Object.entries(objectOf(value, subject)).map(([name, amount]) => {
    try {
      if (typeof amount !== 'string' && typeof amount !== 'number') throw new TypeError(`${name} is no quantity`);
      parseQuantity(amount);
    } catch (error) {
      throw new CheckpointError('InvalidContent', `${subject} has malformed ${field}`, { cause: error });
    }
    return [name, amount] as const;
  });
  return { [field]: Object.fromEntries(amounts) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CheckpointError('InvalidJson', 'it is no JSON', { cause: error });
  }
}

function objectOf(value: unknown, subject: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CheckpointError('InvalidContent', `${subject} is no JSON object`);
}

/** Kubelets hash the text that Go prints for a value, which begins with the value's type. */
const GO_TYPE = '(string)';

function checksum(data: string): number {
  return fnv1a32(GO_TYPE + data);
}
