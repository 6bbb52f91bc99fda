import type { ContainerStep, HookRunner } from '@rxlet/agent-api/containers';
import type { ImageEnsurer } from '@rxlet/agent-api/images';
import type { Journal } from '@rxlet/agent-api/journal';
import type { ClusterServices, PodObjects } from '@rxlet/agent-api/kube';
import type { PodCgroups } from '@rxlet/agent-api/node';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { Pod, Quantity } from '@rxlet/kube-api';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { NodeSettings } from './config/node-settings.ts';
import type { ResolvConf } from './config/resolv-conf.ts';
import type { ManagerMetrics } from './metrics.ts';
import type { RuntimeManagerPorts } from './ports.ts';
import type { ActuatedResourcesStore } from './resize/actuated-resources.ts';
import type { MemoryUsage } from './resize/memory-usage.ts';
import type { CrashLoopBackoff } from './sync/crash-loop-backoff.ts';
import type { UserNamespaces } from './userns/user-namespaces.ts';

/** Ports of the manager with their defaults, its settings and its state. Each function takes the part of it that it uses. */
export interface Context {
  readonly runtime: RuntimeService;
  readonly images: ImageEnsurer;
  readonly imageService: Pick<ImageService, 'imageStatus'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly journal: Journal;
  readonly files: NodeFiles;
  readonly hostFiles: Pick<HostFiles, 'read' | 'stat' | 'openDirectory'>;
  readonly hooks: HookRunner | undefined;
  readonly containerSteps: readonly ContainerStep[];
  readonly volumes: RuntimeManagerPorts['volumes'];
  readonly objects: Pick<PodObjects, 'configMap' | 'secret'> | undefined;
  readonly services: ClusterServices | undefined;
  /** Addresses of the node that pods see as their host's, the primary one first. */
  readonly hostIps: () => readonly string[];
  /** Resources of the node that pods may use. */
  readonly allocatable: () => Readonly<Record<string, Quantity>>;
  readonly logger: Logger;
  readonly metrics: ManagerMetrics;
  readonly settings: NodeSettings;
  /** See RuntimeManagerOptions. */
  readonly cgroupParent: (pod: Pod) => string;
  readonly runtimeHandler: (pod: Pod) => string | Promise<string>;
  readonly containerLogsDirectory: string | undefined;
  readonly nodeHostsFile: string;
  /** Returns the node's resolv.conf; `undefined` when it is not used for pods. */
  readonly resolvConf: () => Promise<ResolvConf | undefined>;
  readonly requestTimeoutMs: number;
  /** Aborts when the agent or the manager begins to stop. */
  readonly stopping: AbortSignal;
  readonly backoff: CrashLoopBackoff;
  readonly actuated: ActuatedResourcesStore;
  readonly podCgroups: PodCgroups | undefined;
  readonly memoryUsage: MemoryUsage;
  readonly userNamespaces: UserNamespaces;
}
