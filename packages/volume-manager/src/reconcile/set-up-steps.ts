import type { Journal } from '@rxlet/agent-api/journal';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import type { DeviceMap } from '../block/device-map.ts';
import type { VolumeExpansion } from '../expand/volume-expansion.ts';
import type { VolumeMetrics } from '../volume-metrics.ts';
import type { VolumePaths } from '../volume-paths.ts';
import type { SinglePodVolumes } from './check-claim.ts';
import type { DesiredVolume } from './desired-volumes.ts';
import type { VolumeAttachments, WatchedNode } from './volume-attachments.ts';
import type { ActualState } from './volume-states.ts';

/** Ports of the set-up of volumes. */
export interface VolumeSetUpPorts {
  readonly journal: Journal;
  readonly actual: ActualState;
  readonly attachments: VolumeAttachments;
  /** Default: there is no Node object. */
  readonly node?: Pick<WatchedNode, 'cached'> | undefined;
  readonly events: EventRecorder;
  readonly metrics: VolumeMetrics;
  readonly mapping: MappingPorts;
  readonly expansion: Pick<VolumeExpansion, 'duringSetUp' | 'whileMounted'>;
  /** Reports whether the disk has a record of a persistent volume for another pod. */
  isRecordedElsewhere(volumeName: string, podUid: string): Promise<boolean>;
}

/** Ports of the set-up of block volumes. */
export interface MappingPorts {
  readonly devices: Pick<DeviceMap, 'map'>;
  readonly paths: Pick<VolumePaths, 'volumeDevice' | 'pluginVolumeDevices'>;
  /** Returns a path without links. */
  realPath(path: string): Promise<string>;
}

/** Step of a set-up that has begun, for the event of its failure. */
export interface SetUpProgress {
  /** Reason of the event. */
  reason: string;
  /** Beginning of the kubelet's message, such as `MountVolume.SetUp failed`. */
  failure: string;
}

/** A volume that is being set up for a pod. */
export interface VolumeSetUp {
  readonly pod: Pod;
  readonly desired: DesiredVolume;
  readonly progress: SetUpProgress;
  readonly signal: AbortSignal;
}

/** Dependencies of the steps. */
export interface SetUpSteps extends VolumeSetUpPorts {
  readonly singlePod: SinglePodVolumes;
  /** Waits until a volume is attached to the node, if it must be, and checks that. */
  attach(setUp: VolumeSetUp, definition: AttachableDefinition, operation: string): Promise<void>;
}

/** Part of a definition that concerns the attachment to the node. */
export interface AttachableDefinition {
  attachedAs?(): string | undefined;
  waitForAttach?(signal: AbortSignal): Promise<void>;
}
