import type { Clock, Logger, Metrics, Random, RecordedEvent } from '@rxlet/component-base';
import type { HttpPort } from '@rxlet/component-base/http';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { HealthCheck, LogQuery } from '@rxlet/kubelet-server';
import type { HintSource } from '@rxlet/pleg';
import type { PodSnapshotSource } from '@rxlet/pod-source';
import type { ProbeNetwork } from '@rxlet/prober';
import type {
  ContainerLogRotatorOptions,
  FileSystem,
  LogDirectories,
  LogFiles,
  RuntimeManagerOptions,
} from '@rxlet/runtime-manager';
import type { CheckpointFile, StatusSink } from '@rxlet/status-manager';
import type { Observable } from 'rxjs';
import type { PodCgroupCleaner } from './housekeeping/pod-cgroup-cleaner.ts';
import type { AgentImageOptions, AgentImagePorts } from './images/assemble-images.ts';
import type { PodChange } from './outputs/pod-view.ts';
import type { MirrorPods } from './pod-syncer/mirror-pods.ts';
import type { AdmissionHandler } from './sync-loop/admission.ts';

/** What an agent stands on. */
export interface AgentPorts extends AgentImagePorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Where the agent hears at once of what happened to containers. Default: GetContainerEvents of `runtime`; one without that is polled. */
  readonly hints?: HintSource;
  /** Where pods come from; each pod has a UID. */
  readonly sources: readonly PodSnapshotSource[];
  /** Where the statuses of pods go, besides {@link Agent.pods}. */
  readonly statusSink?: StatusSink;
  /** Asked after the agent's own admission. */
  readonly admission?: readonly AdmissionHandler[];
  /** Default: none; the runtime makes what cgroups there are. */
  readonly podCgroupCleaner?: PodCgroupCleaner;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: the node's own, confined to the directories of {@link AgentOptions}. */
  readonly files?: FileSystem;
  /** Where container logs are rotated. Default: the node's own files. */
  readonly logDirectories?: LogDirectories;
  /** Where the latest statuses are kept, so that the next agent goes on from them. Default: they end with the agent. */
  readonly statusFile?: CheckpointFile;
  /** Where container logs are read. Default: the node's own files. */
  readonly logFiles?: LogFiles;
  /** Shows static pods to an API server. Default: there is none. */
  readonly mirrorPods?: MirrorPods;
  /** How HTTP hooks reach containers. Default: over the node's own network. */
  readonly http?: HttpPort;
  /** How probes reach containers. Default: over the node's own network. */
  readonly probeNetwork?: ProbeNetwork;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** How an agent behaves. */
export interface AgentOptions extends Omit<RuntimeManagerOptions, 'node'> {
  /** Facts and settings of the node; directories default to the kubelet's. See `readNodeFacts`. */
  readonly node: RuntimeManagerOptions['node'] & { readonly rootDirectory: string; readonly podLogsDirectory: string };
  /** As the API knows the node. Default: the machine's name. */
  readonly nodeName?: string;
  readonly images?: AgentImageOptions;
  readonly containerLogs?: ContainerLogRotatorOptions;
  /** Default one second, as the kubelet's. */
  readonly relistPeriodMs?: number;
  /** KubeletConfiguration `syncFrequency`. Default one minute. */
  readonly resyncIntervalMs?: number;
  /** How often what should not be there is looked for. Default two seconds, as the kubelet's. */
  readonly housekeepingPeriodMs?: number;
  /** How often dead containers, old sandboxes and logs are collected; the first time at once. Default one minute, as the kubelet's. */
  readonly garbageCollectionPeriodMs?: number;
}

/** A running node agent. */
export interface Agent extends AsyncDisposable {
  /** Begins to run the pods of the sources, as soon as the runtime has told what it holds. */
  start(): void;
  /** The pods with their current status; those that are being removed have a deletionTimestamp. */
  readonly pods: { list(): readonly Pod[]; readonly changes$: Observable<PodChange> };
  /** What happened to the pods: the latest thousand events, and each as it comes. */
  readonly events: { list(): readonly RecordedEvent[]; readonly events$: Observable<RecordedEvent> };
  /** What tells whether the agent works. */
  readonly healthChecks: readonly HealthCheck[];
  /** What goes on inside, as plain data for people: the machine of each pod, and each queue with its depth and oldest age. No stable format. */
  debugState(): unknown;
  /** Reads the log of a container. @throws RequestError when there is none */
  readLog(query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}
