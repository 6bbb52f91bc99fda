import type { ContainerStep, HookRunner } from '@rxlet/agent-api/containers';
import type { ImageEnsurer } from '@rxlet/agent-api/images';
import type { Journal } from '@rxlet/agent-api/journal';
import type { ClusterServices, PodObjects, RuntimeClasses } from '@rxlet/agent-api/kube';
import type { ExclusiveCpus, NodeObject, NodeResources, PodCgroups } from '@rxlet/agent-api/node';
import type { PodVolumes } from '@rxlet/agent-api/volumes';
import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import type { MemoryUsage } from './resize/memory-usage.ts';

/** Ports of {@link createRuntimeManager}. */
export interface RuntimeManagerPorts {
  readonly runtime: RuntimeService;
  /** Makes images present; see {@link imagesOnNode} for a node whose images are imported. */
  readonly images: ImageEnsurer;
  /** Reports the user of an image. */
  readonly imageService: Pick<ImageService, 'imageStatus'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  /** Default: nothing is recorded. */
  readonly journal?: Journal | undefined;
  /** Directories of pods and their logs; see {@link NodeSettings}. */
  readonly files: NodeFiles;
  /** Reads the node's hosts file and resolv.conf, and environment files in volumes. */
  readonly hostFiles: Pick<HostFiles, 'read' | 'stat' | 'openDirectory'>;
  /** Absent: containers with lifecycle hooks are not started, and preStop hooks of running containers are reported as failed. */
  readonly hooks?: HookRunner | undefined;
  /** Steps before the creation and the start, and after the stop, of each container, run in order. */
  readonly containerSteps?: readonly ContainerStep[] | undefined;
  /** Mounted volumes. Absent: containers with mounts of volumes other than images are not started, unless a step adds the mounts. */
  readonly volumes?: Pick<PodVolumes, 'mountedVolumes' | 'makeSubPath' | 'prepareSubPath'> | undefined;
  /** ConfigMaps and Secrets. Absent: containers that refer to them are not started. */
  readonly objects?: Pick<PodObjects, 'configMap' | 'secret'> | undefined;
  /** Services for the environment of containers. Absent: there are none. */
  readonly services?: ClusterServices | undefined;
  /** RuntimeClasses. Absent: pods that name one get no sandbox. */
  readonly runtimeClasses?: RuntimeClasses | undefined;
  /** The Node object, for the addresses that pods see as their host's. Default: those of the settings. */
  readonly nodeObject?: Pick<NodeObject, 'cached'> | undefined;
  /** Resources of the node, the defaults of limits in the environment. Default: those of the settings. */
  readonly nodeResources?: Pick<NodeResources, 'allocatable'> | undefined;
  /** Absent: pods have no managed cgroups, so a resize changes only those of containers. */
  readonly podCgroups?: PodCgroups | undefined;
  /** CPUs that containers have for themselves. Absent: there are none. */
  readonly exclusiveCpus?: Pick<ExclusiveCpus, 'isUnlimited'> | undefined;
  /** Reports the memory in use before a memory limit is lowered. Default: the runtime's statistics. */
  readonly memoryUsage?: MemoryUsage | undefined;
  /**
   * Aborts when the agent begins to stop, before it aborts the signals of syncs: calls in flight that create or start something have `FINISH_SENT_CALLS_MS` (5
   * s) from then on. Default: only disposal of the manager bounds them.
   */
  readonly stopping?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}
