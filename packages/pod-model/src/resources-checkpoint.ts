import type { ResourceRequirements } from '@rxlet/kube-api';
import { CheckpointError, checkpointObject, parseCheckpointJson } from './checkpoint.ts';
import { fnv1a32 } from './fnv.ts';
import { parseQuantity } from './quantity.ts';

/** Resources of one pod, as they were allocated or put into effect (KEP-1287). */
export interface PodResourcesRecord {
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** Pod-level resources. */
  readonly pod: ResourceRequirements | undefined;
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
  const { data, checksum: written } = checkpointObject(parseCheckpointJson(text), 'the file');
  if (typeof data !== 'string') throw new CheckpointError('InvalidContent', 'the field "data" is missing');
  if (written !== checksum(data)) throw new CheckpointError('ChecksumMismatch', 'the checksum does not match');
  const { entries } = checkpointObject(parseCheckpointJson(data), 'the field "data"');
  const records = new Map<string, PodResourcesRecord>();
  for (const [uid, entry] of Object.entries(checkpointObject(entries ?? {}, 'the field "entries"'))) {
    const { ContainerResources, PodLevelResources } = checkpointObject(entry, `pod ${uid}`);
    const containers = Object.entries(checkpointObject(ContainerResources ?? {}, `pod ${uid}`)).map(
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
  const { limits, requests } = checkpointObject(value, subject);
  return { ...readList('limits', limits, subject), ...readList('requests', requests, subject) };
}

function readList(field: 'limits' | 'requests', value: unknown, subject: string): ResourceRequirements {
  if (value === undefined || value === null) return {};
  const amounts = Object.entries(checkpointObject(value, subject)).map(([name, amount]) => {
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

/** Prefix of the hashed text: kubelets hash the text that Go prints for a value, which begins with the value's type. */
const GO_TYPE = '(string)';

function checksum(data: string): number {
  return fnv1a32(GO_TYPE + data);
}
