/** Range of user and group ids of the node that the users of one pod are mapped to. */
export interface IdMapping {
  /** First id on the node. */
  readonly hostId: number;
  /** First id in the pod; always 0, so that root is mapped. */
  readonly containerId: number;
  readonly length: number;
}

/** Ids of the node for pods with user namespaces. */
export interface IdPool {
  /** First id; a multiple of `idsPerPod`. */
  readonly firstId: number;
  /** Number of ids; a multiple of `idsPerPod`. */
  readonly count: number;
  /** Ids of each pod (KubeletConfiguration `userNamespaces.idsPerPod`); a multiple of 65536. */
  readonly idsPerPod: number;
}

const UNIT = 65_536;
const ID_LIMIT = 2 ** 32;

/** The kubelet's default: all ids above those of the first range, which the node itself uses. */
export const defaultIdPool: IdPool = { firstId: UNIT, count: ID_LIMIT - UNIT, idsPerPod: UNIT };

/** Checks a pool. @throws Error with the kubelet's message */
export function checkIdPool({ firstId, count, idsPerPod }: IdPool, maxPods = 1): void {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  if (idsPerPod <= 0 || idsPerPod % UNIT !== 0) {
    fail(`kubelet user namespace length ${String(idsPerPod)} is not a multiple of ${String(UNIT)}`);
  }
  if (firstId % idsPerPod !== 0) {
    fail(`kubelet user assigned ID ${String(firstId)} is not a multiple of ${String(idsPerPod)}`);
  }
  // Users of pods must never be the node's own.
  if (firstId < idsPerPod) {
    fail(`kubelet user assigned ID ${String(firstId)} must be greater or equal to ${String(idsPerPod)}`);
  }
  if (count % idsPerPod !== 0) {
    fail(`kubelet user assigned IDs length ${String(count)} is not a multiple of ${String(idsPerPod)}`);
  }
  if (count / idsPerPod < maxPods) fail(`kubelet user assigned IDs are not enough to support ${String(maxPods)} pods`);
}

/** Returns the first free range of a pool; `undefined` when there is none. */
export function freeIdMapping({ firstId, count, idsPerPod }: IdPool, used: Iterable<IdMapping>): IdMapping | undefined {
  const taken = new Set<number>();
  for (const { hostId, length } of used) {
    for (let slot = Math.floor(hostId / idsPerPod); slot * idsPerPod < hostId + length; slot += 1) taken.add(slot);
  }
  const first = firstId / idsPerPod;
  for (let slot = first; slot < first + count / idsPerPod; slot += 1) {
    if (!taken.has(slot)) return { hostId: slot * idsPerPod, containerId: 0, length: idsPerPod };
  }
  return undefined;
}

/** Formats a mapping as in the kubelet's file `userns` of a pod. */
export function formatIdMapping({ hostId, containerId, length }: IdMapping): string {
  const mappings = [{ hostId, containerId, length }];
  return JSON.stringify({ uidMappings: mappings, gidMappings: mappings });
}

/** Parses the file `userns` of a pod. @throws Error for other content than that of {@link formatIdMapping} */
export function parseIdMapping(text: string): IdMapping {
  let content: { readonly uidMappings?: unknown; readonly gidMappings?: unknown } | null;
  try {
    content = JSON.parse(text) as typeof content;
  } catch (error) {
    throw new Error('invalid user namespace mappings file: not JSON', { cause: error });
  }
  const uids = mappingsOf(content?.uidMappings);
  const gids = mappingsOf(content?.gidMappings);
  const [mapping] = uids;
  if (mapping === undefined || uids.length !== 1) {
    throw new Error('invalid user namespace configuration: no more than one mapping allowed.');
  }
  if (gids.length !== 1 || JSON.stringify(mapping) !== JSON.stringify(gids[0])) {
    throw new Error('invalid user namespace configuration: GID and UID mapping should be identical');
  }
  if (mapping.containerId !== 0) throw new Error('invalid user namespace configuration: UID 0 must be mapped');
  return mapping;
}

function mappingsOf(list: unknown): readonly IdMapping[] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown) => {
    const { hostId, containerId, length } = (item ?? {}) as Record<string, unknown>;
    return { hostId: idOf(hostId), containerId: idOf(containerId), length: idOf(length) };
  });
}

function idOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < ID_LIMIT) return value;
  throw new Error('invalid user namespace mappings file: an id is not a number of 32 bits');
}
