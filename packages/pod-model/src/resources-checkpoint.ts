import type { ResourceRequirements } from '@rxlet/kube-api';
import { fnv1a32 } from './fnv.ts';
import { parseQuantity } from './quantity.ts';

/** Resources of one pod, as they were allocated or put into effect (KEP-1287). */
export interface PodResourcesRecord {
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** Pod-level resources. */
  readonly pod: ResourceRequirements | undefined;
}

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

/**
 * Formats the records of all pods (by UID) like kubelet 1.36. `data` is JSON within JSON, so that its checksum does not depend on the formatting of a JSON
 * library.
 */
export function formatResourcesCheckpoint(records: ReadonlyMap<string, PodResourcesRecord>): string {
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
 * Parses a checkpoint of {@link formatResourcesCheckpoint} or of a kubelet.
 * @throws CheckpointError
 */
export function parseResourcesCheckpoint(text: string): Map<string, PodResourcesRecord> {
  const { data, checksum: written } = objectOf(parseJson(text), 'the file');
  if (typeof data !== 'string') throw new CheckpointError('InvalidContent', 'the field "data" is missing');
  if (written !== checksum(data)) throw new CheckpointError('ChecksumMismatch', 'the checksum does not match');
  const { entries } = objectOf(parseJson(data), 'the field "data"');
  const records = new Map<string, PodResourcesRecord>();
  for (const [uid, entry] of Object.entries(objectOf(entries ?? {}, 'the field "entries"'))) {
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
      if (typeof amount !== 'string' && typeof amount !== 'number') throw new TypeError(`${name} is not a quantity`);
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
    throw new CheckpointError('InvalidJson', 'the content is not JSON', { cause: error });
  }
}

function objectOf(value: unknown, subject: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CheckpointError('InvalidContent', `${subject} is not a JSON object`);
}

/** Prefix of the hashed text: kubelets hash the text that Go prints for a value, which begins with the value's type. */
const GO_TYPE = '(string)';

function checksum(data: string): number {
  return fnv1a32(GO_TYPE + data);
}
