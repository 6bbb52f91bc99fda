/** Content of a checkpoint of devices. `null` stands for a Go slice or map that is nil. */
export interface CheckpointData {
  readonly PodDeviceEntries: readonly CheckpointEntry[] | null;
  /** Healthy devices by resource. */
  readonly RegisteredDevices: Readonly<Record<string, readonly string[] | null>> | null;
}

/** Devices of one resource that a container has. */
export interface CheckpointEntry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  /** Ids by NUMA node; -1 for none. */
  readonly DeviceIDs: Readonly<Record<string, readonly string[] | null>> | null;
  /** Answer of the plugin as a protobuf message, in base64. */
  readonly AllocResp: string | null;
}
