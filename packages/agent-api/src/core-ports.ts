import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { Journal } from './journal/journal.ts';

/** The outside world of an agent: its runtime and the node that it runs on. Every module gets them. */
export interface CorePorts {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Files that the agent owns, below the root directory and the log directories. */
  readonly files: NodeFiles;
  /** Files that the agent does not own: configuration, manifests, logs. */
  readonly hostFiles: HostFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Records events of pods; sinks of modules receive them. */
  readonly events: EventRecorder;
  /** Records what pods wait for; `journalSinks` of modules receive it. */
  readonly journal: Journal;
  readonly node: NodeIdentity;
}

/** Identity and directories of the node. */
export interface NodeIdentity {
  /** Name of the Node object (kubelet flag `--hostname-override`). */
  readonly name: string;
  /** Directory of the agent's own state and of its pods (kubelet flag `--root-dir`). */
  readonly rootDirectory: string;
  /** Directory of the container logs (KubeletConfiguration `podLogsDir`). */
  readonly podLogsDirectory: string;
  /** Addresses of the node, at most one of each family, the primary one first (`status.hostIPs` of its pods). */
  readonly ips: readonly string[];
}
