import type { CSIDriver, Secret, VolumeAttachment } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';

/** Drivers that have registered with the agent. */
export interface CsiDrivers {
  /** Returns the node service of a driver. @throws Error with the kubelet's message when the driver is not registered */
  node(driverName: string): CsiNode;
  /** Returns the CSIDriver object that the configuration has for a driver, for nodes without an API server. */
  configured(driverName: string): CSIDriver | undefined;
  /** Reads the limit of volumes of a driver again. Rejects when the driver does not answer, or is not registered. */
  refresh(driverName: string, signal?: AbortSignal): Promise<void>;
  /** Registered drivers. Replays the current list, as it belongs into the CSINode object. */
  readonly registered$: Observable<readonly RegisteredCsiDriver[]>;
}

/** Objects of the API server that CSI volumes need; the calls read them each time, or from a watch. Without them, only inline volumes can be mounted. */
export interface CsiObjects {
  /** Resolves with `undefined` when there is none. */
  driver(name: string, signal?: AbortSignal): Promise<CSIDriver | undefined>;
  /** Resolves with `undefined` when there is none. */
  secret(namespace: string, name: string, signal?: AbortSignal): Promise<Secret | undefined>;
  /** Rejects with the API server's message, also when there is none. */
  attachment(name: string, signal?: AbortSignal): Promise<VolumeAttachment>;
}

/** A registered driver. */
export interface RegisteredCsiDriver {
  readonly name: string;
  /** Name of the node in the driver's storage system. */
  readonly nodeId: string;
  /** Limit of volumes on this node; `undefined` for none. */
  readonly maxVolumes: number | undefined;
  readonly topology: Readonly<Record<string, string>>;
}

/** Optional abilities of a node service. */
export type CsiNodeCapability =
  | 'STAGE_UNSTAGE_VOLUME'
  | 'GET_VOLUME_STATS'
  | 'EXPAND_VOLUME'
  | 'VOLUME_CONDITION'
  | 'SINGLE_NODE_MULTI_WRITER'
  | 'VOLUME_MOUNT_GROUP';

/** Ways to access a volume. */
export type CsiAccessMode =
  | 'UNKNOWN'
  | 'SINGLE_NODE_WRITER'
  | 'SINGLE_NODE_READER_ONLY'
  | 'MULTI_NODE_READER_ONLY'
  | 'MULTI_NODE_SINGLE_WRITER'
  | 'MULTI_NODE_MULTI_WRITER'
  | 'SINGLE_NODE_SINGLE_WRITER'
  | 'SINGLE_NODE_MULTI_WRITER';

/** Node service of a driver. Calls have the kubelet's deadlines and reject with {@link CsiCallError}. */
export interface CsiNode {
  capabilities(signal?: AbortSignal): Promise<ReadonlySet<CsiNodeCapability>>;
  stageVolume(request: CsiStageRequest, signal?: AbortSignal): Promise<void>;
  unstageVolume(request: CsiStagedVolume, signal?: AbortSignal): Promise<void>;
  publishVolume(request: CsiPublishRequest, signal?: AbortSignal): Promise<void>;
  unpublishVolume(request: CsiPublishedVolume, signal?: AbortSignal): Promise<void>;
  volumeStats(request: CsiVolumeStatsRequest, signal?: AbortSignal): Promise<CsiVolumeStats>;
  /** Returns the new capacity in bytes. */
  expandVolume(request: CsiExpandRequest, signal?: AbortSignal): Promise<bigint>;
}

/** Volume with the file system that is mounted for pods. */
export interface CsiMount {
  readonly volumeId: string;
  readonly volumeContext: Readonly<Record<string, string>>;
  /** Facts that the driver's controller has returned when it attached the volume to the node. Default: none. */
  readonly publishContext?: Readonly<Record<string, string>> | undefined;
  readonly fsType: string;
  readonly mountFlags: readonly string[];
  readonly accessMode: CsiAccessMode;
  /** Containers use the volume as a device; the type of the file system and the flags do not count. Default: the volume is mounted. */
  readonly isBlock?: boolean | undefined;
  /** Group that the driver gives the volume to; for drivers with `VOLUME_MOUNT_GROUP`. */
  readonly mountGroup?: string | undefined;
  /** Must never be logged. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A volume at the place where all pods of the node share it. */
export interface CsiStagedVolume {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
}

/** A volume at its place in a pod. */
export interface CsiPublishedVolume {
  readonly volumeId: string;
  readonly targetPath: string;
}

/** Request of {@link CsiNode.stageVolume}. */
export interface CsiStageRequest extends CsiMount, CsiStagedVolume {}

/** Request of {@link CsiNode.publishVolume}; `stagingTargetPath` is empty for drivers that do not stage. */
export interface CsiPublishRequest extends CsiMount, CsiStagedVolume, CsiPublishedVolume {
  readonly readOnly: boolean;
}

/** Request of {@link CsiNode.volumeStats}. */
export interface CsiVolumeStatsRequest extends CsiStagedVolume {
  readonly volumePath: string;
}

/** Usage of a volume. Counts that the driver does not report are `undefined`. */
export interface CsiVolumeStats {
  readonly bytes: CsiUsage | undefined;
  readonly inodes: CsiUsage | undefined;
}

/** Usage of one resource of a volume. */
export interface CsiUsage {
  readonly available: bigint;
  readonly total: bigint;
  readonly used: bigint;
}

/** Request of {@link CsiNode.expandVolume}. */
export interface CsiExpandRequest extends CsiVolumeStatsRequest {
  readonly requiredBytes: bigint;
  /** Containers use the volume as a device. Default: the volume is mounted. */
  readonly isBlock?: boolean | undefined;
  readonly fsType: string;
  readonly mountFlags: readonly string[];
  readonly accessMode: CsiAccessMode;
  /** Must never be logged. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A failed call of a driver, with the message of a gRPC status. */
export class CsiCallError extends Error {
  override readonly name = 'CsiCallError';
  /** Name of the status, such as `DeadlineExceeded`. */
  readonly code: string;

  constructor(code: string, description: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
    this.code = code;
  }

  /** Whether the driver certainly does nothing any more; otherwise the operation may still be in progress or complete (kubelet: isFinalError). */
  get isFinal(): boolean {
    return !uncertainCodes.has(this.code);
  }
}

const uncertainCodes: ReadonlySet<string> = new Set([
  'Canceled',
  'DeadlineExceeded',
  'Unavailable',
  'ResourceExhausted',
  'Aborted',
]);
