import type { AgentCore, CollectionKey } from '@rxlet/agent-api';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { HintSource } from '@rxlet/pleg';
import type { RuntimeManagerOptions } from '@rxlet/runtime-manager';

/** The outside world of an agent. Everything but the runtime and the node's settings has a default. */
export interface AgentPorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly node: NodeOptions;
  /** Event streams of the runtime, in order of preference. Default: GetContainerEvents of `runtime`; a runtime without any is polled. */
  readonly hints?: readonly HintSource[];
  /** Progress of image pulls in the runtime. Default: a pull shows when it began, and nothing else. */
  readonly pullProgress?: PullProgressSource;
  /** Files that the agent owns. Default: the node's, confined to the directories of `node`. */
  readonly files?: NodeFiles;
  /** Files that the agent does not own: configuration, logs. Default: the node's files. */
  readonly hostFiles?: HostFiles;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Facts and settings of the node; see `readNodeFacts`. The defaults are those of a kubelet's node. */
export type NodeOptions = RuntimeManagerOptions['node'] & {
  /** Name of the Node object (kubelet flag `--hostname-override`). Default: the machine's name. */
  readonly name?: string;
  /** Directory of the agent's own state and of its pods (kubelet flag `--root-dir`). */
  readonly rootDirectory: string;
  /** Directory of the container logs (KubeletConfiguration `podLogsDir`). */
  readonly podLogsDirectory: string;
};

/** Options of the core. Modules have their own. */
export interface AgentOptions extends Omit<RuntimeManagerOptions, 'node'> {
  /** Period of relists. Default one second, as in the kubelet. */
  readonly relistPeriodMs?: number;
  /** Time after which a pod without events is synced (KubeletConfiguration `syncFrequency`). Default one minute. */
  readonly resyncIntervalMs?: number;
  /** Period of housekeeping. Default two seconds, as in the kubelet. */
  readonly housekeepingPeriodMs?: number;
  /** Period of garbage collection; the first one runs at once. Default one minute, as in the kubelet. */
  readonly garbageCollectionPeriodMs?: number;
}

/** A node agent. Disposing of it leaves its pods running; the next agent adopts them. */
export interface Agent extends AsyncDisposable, Pick<AgentCore, 'pods' | 'events' | 'sourcesReady' | 'sourceProblems'> {
  /**
   * Starts the modules and then the core. Resolves when the runtime has answered and pods may come; later calls return the same promise. Rejects with the
   * failure of a module or of the runtime: then dispose of the agent.
   */
  start(): Promise<void>;
  /** Returns the contributions of the core and of all modules to a collection, such as `healthChecks`. */
  contributions<T>(key: CollectionKey<T>): readonly T[];
  /** Returns the agent's internal state as plain data for people, without a stable format. */
  debugState(): Readonly<Record<string, unknown>>;
}
