import { type AgentModule, contribute, PodStepError, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { type SupportedPodField, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { nodeResources, podCgroups } from '@rxlet/agent-api/node';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import { createHostMachine, isSwapOn, type Machine } from '@rxlet/machine';
import type { NodeFiles } from '@rxlet/node-files';
import { isPodLevelResource } from '@rxlet/pod-model/resources';
import type { RuntimePod } from '@rxlet/pod-model/runtime';
import { createContainerManager } from './container-manager.ts';
import type { ContainerManagerOptions } from './container-manager-options.ts';
import { readRuntimeDriver } from './read-runtime-driver.ts';
import type { Processes } from './system/host-processes.ts';
import type { KernelParameters } from './system/kernel-parameters.ts';
import { openHostSlices } from './systemd/host-slices.ts';
import type { SystemdSlices } from './systemd/slices.ts';
import type { OpenCgroups } from './tree/cgroup-file-system.ts';
import { openHostCgroups } from './tree/host-cgroups.ts';

/** Options of {@link cgroups}. */
export interface CgroupsOptions extends Omit<ContainerManagerOptions, 'nodeName' | 'rootDirectory'> {
  /** Default: the cgroups of this machine. */
  readonly openCgroups?: OpenCgroups | undefined;
  /** Default: systemd of this machine. */
  readonly openSlices?: (() => Promise<SystemdSlices>) | undefined;
  /** Default: this machine. */
  readonly machine?: Machine | undefined;
  /** Default: the parameters of this machine's kernel. */
  readonly kernel?: KernelParameters | undefined;
  /** Default: the processes of this machine. */
  readonly processes?: Processes | undefined;
}

/**
 * Creates the agent module that puts each pod into a cgroup of its own, below that of its QoS class, and keeps resources of the node from pods (kubelet:
 * container manager).
 *
 * The agent owns the cgroups of pods below its cgroup root: what is left there of pods that it does not know is killed and removed.
 *
 * The start of the agent fails on a node that swaps (`failSwapOn`) or whose kernel has other parameters (`kernelParameters`), if the options say so.
 *
 * @throws ReservationError or QosReservedError at set-up, for options that cannot be used
 */
export function cgroups(options: CgroupsOptions = {}): AgentModule {
  return {
    name: 'cgroups',
    provides: [podCgroups, nodeResources],
    setup({ runtime, core, node, files, hostFiles, clock, events, journal, logger, metrics }) {
      const { openCgroups = openHostCgroups, openSlices = openHostSlices } = options;
      const { machine = createHostMachine(hostFiles) } = options;
      const manager = createContainerManager(
        {
          openCgroups,
          openSlices,
          machine,
          isSwapOn: () => isSwapOn(hostFiles),
          kernelParameters: options.kernel,
          processes: options.processes,
          clock,
          events,
          journal,
          logger,
          metrics,
          sumOfActivePods: core.sumOfActivePods,
          runtimeDriver: (signal) => readRuntimeDriver({ runtime, clock, logger, metrics }, signal),
        },
        { ...options, nodeName: node.name, rootDirectory: node.rootDirectory },
      );
      const lifetime = createLifetime();
      let nextSweepMs = -Infinity;
      /** Pods that have containers, or may have some soon. */
      const isKept = (uid: string): boolean => {
        const pod = core.runtimePod(uid);
        return core.mayRunContainers(uid) || (pod !== undefined && hasRunning(pod));
      };
      const hasVolumes = (uid: string): Promise<boolean> => hasVolumeDirectories(files, node.rootDirectory, uid);
      return {
        services: [provide(podCgroups, manager.podCgroups), provide(nodeResources, manager.resources)],
        contributions: [
          contribute(podSteps, {
            name: 'pod cgroup',
            async prepare(pod) {
              try {
                await manager.ensurePod(pod);
              } catch (error) {
                const message = `unable to ensure pod container exists: ${errorMessage(error)}`;
                throw new PodStepError('FailedCreatePodContainer', message, { cause: error });
              }
            },
            stopped: () => void lifetime.track(manager.updateQos()),
            tearDown: ({ uid }, signal) => manager.removePod(uid, signal),
          }),
          contribute(housekeepingSteps, {
            name: 'remove the cgroups of stopped pods',
            async run({ signal }) {
              if (clock.monotonicNow() < nextSweepMs) return;
              nextSweepMs = clock.monotonicNow() + SWEEP_PERIOD_MS;
              await manager.removePods({ isKept, hasVolumes }, signal);
            },
          }),
          contribute(supportedPodFields, ...(options.cgroupsPerQOS === false ? [] : podLevelResources)),
        ],
        start: () => manager.start(),
        async [Symbol.asyncDispose]() {
          await lifetime[Symbol.asyncDispose]();
          await manager[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** Pause between two searches for cgroups that the teardown of their pod has left. Reading all hierarchies costs more than other housekeeping. */
const SWEEP_PERIOD_MS = 10_000;

/** Resources of a pod as a whole (KEP-2837), which only a cgroup of the pod can enforce. */
const podLevelResources: readonly SupportedPodField[] = ['limits', 'requests'].map((list) => ({
  path: `spec.resources.${list}.*`,
  accepts: (_amount: unknown, name: string) => isPodLevelResource(name),
}));

function hasRunning({ containers, sandboxes }: RuntimePod): boolean {
  return (
    containers.some(({ state }) => state === 'running' || state === 'unknown') ||
    sandboxes.some(({ state }) => state === 'ready')
  );
}

/** Reports whether directories of volumes are left, which are `pods/<uid>/volumes/<plugin>/<volume>`. */
async function hasVolumeDirectories(
  files: Pick<NodeFiles, 'list'>,
  rootDirectory: string,
  uid: string,
): Promise<boolean> {
  const volumes = `${rootDirectory}/pods/${uid}/volumes`;
  for (const plugin of await files.list(volumes)) {
    if ((await files.list(`${volumes}/${plugin}`)).length > 0) return true;
  }
  return false;
}
