import type { Clock, EventRecorder, Logger, Random } from '@rxlet/component-base';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { NodeSettings } from './config/node-settings.ts';
import type { ResolvConf } from './config/resolv-conf.ts';
import type { FileSystem } from './files/file-system.ts';
import type { ManagerMetrics } from './metrics.ts';
import type { ImageEnsurer, InternalHooks, LifecycleHooks } from './ports.ts';
import type { ActuatedResourcesStore } from './resize/actuated-resources.ts';
import type { MemoryUsage } from './resize/memory-usage.ts';
import type { PodCgroups } from './resize/pod-cgroups.ts';
import type { CrashLoopBackoff } from './sync/crash-loop-backoff.ts';

/** What every part of the manager works with: its ports with defaults filled in, its settings, and its little state. */
export interface Context {
  readonly runtime: RuntimeService;
  readonly images: ImageEnsurer;
  readonly imageService: Pick<ImageService, 'imageStatus'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly files: FileSystem;
  readonly hooks: LifecycleHooks | undefined;
  readonly internalHooks: InternalHooks | undefined;
  readonly logger: Logger;
  readonly metrics: ManagerMetrics;
  readonly settings: NodeSettings;
  /** See RuntimeManagerOptions. */
  readonly cgroupParent: (pod: Pod) => string;
  readonly runtimeHandler: (pod: Pod) => string | Promise<string>;
  readonly containerLogsDirectory: string | undefined;
  readonly nodeHostsFile: string;
  readonly resolvConf: () => ResolvConf | undefined | Promise<ResolvConf | undefined>;
  readonly requestTimeoutMs: number;
  readonly backoff: CrashLoopBackoff;
  readonly actuated: ActuatedResourcesStore;
  readonly podCgroups: PodCgroups | undefined;
  readonly memoryUsage: MemoryUsage;
}
