/** A device of a claim, as the plugin of its driver has prepared it. */
export interface ClaimDevice {
  readonly poolName: string;
  readonly deviceName: string;
  /** Share of a device that several claims use. */
  readonly shareId?: string | undefined;
  /** Requests of the claim that the device belongs to; empty for all. */
  readonly requestNames: readonly string[];
  /** Names in the Container Device Interface, such as `example.com/gpu=0`. */
  readonly cdiDeviceIds: readonly string[];
}

/** A ResourceClaim that pods of the node use, from before its first preparation until it is unprepared. */
export interface ClaimRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** UIDs of the pods that use the claim. */
  readonly podUids: Set<string>;
  /** Devices by driver. Drivers that have prepared nothing yet have none. */
  readonly drivers: Map<string, readonly ClaimDevice[]>;
  /** Whether this agent has prepared the claim. Records of an earlier run are prepared again before the next sandbox. */
  isPrepared: boolean;
}

/** Records by namespace and name of their claim. Bounded by the pods of the node. */
export interface ClaimRecords {
  find(namespace: string, name: string): ClaimRecord | undefined;
  list(): readonly ClaimRecord[];
  /** Returns the claims that a pod uses. */
  ofPod(podUid: string): readonly ClaimRecord[];
  add(record: ClaimRecord): void;
  delete(record: ClaimRecord): void;
}

/** Creates empty {@link ClaimRecords}. */
export function createClaimRecords(): ClaimRecords {
  const records = new Map<string, ClaimRecord>();
  const list = (): readonly ClaimRecord[] => [...records.values()];
  return {
    find: (namespace, name) => records.get(claimKey(namespace, name)),
    list,
    ofPod: (podUid) => list().filter(({ podUids }) => podUids.has(podUid)),
    add: (record) => void records.set(claimKey(record.namespace, record.name), record),
    delete: ({ namespace, name }) => void records.delete(claimKey(namespace, name)),
  };
}

/** Returns the key of a claim: `<namespace>/<name>`. */
export function claimKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
