import {
  type AgentCore,
  type AgentModule,
  contribute,
  debugSections,
  PodStepError,
  podSteps,
  provide,
} from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { exclusiveCpus, podCgroups } from '@rxlet/agent-api/node';
import { mayUseResources, topologyAlignment } from '@rxlet/agent-api/topology';
import { errorMessage } from '@rxlet/component-base';
import { type MachineTopology, readMachineTopology } from '@rxlet/machine/topology';
import { podContainers, podUid } from '@rxlet/pod-model';
import { createCpuManager } from './manager/cpu-manager.ts';
import type { CpuManagerOptions } from './manager/cpu-manager-options.ts';
import type { RunningContainer } from './manager/cpuset-updates.ts';

/** Options of {@link cpuManager}. */
export interface CpuManagerModuleOptions extends CpuManagerOptions {
  /** Default: reads this machine. */
  readonly readTopology?: (() => Promise<MachineTopology>) | undefined;
}

/**
 * Creates the agent module that gives CPUs of their own to containers of Guaranteed pods which request whole CPUs, and keeps all other containers off them (policy
 * `static`). It needs the module `topologyManager()`. Its set-up and its start throw a CpuPolicyError when configuration, machine and state file do not fit each other.
 */
export function cpuManager(options: CpuManagerModuleOptions = {}): AgentModule {
  return {
    name: 'cpu-manager',
    needs: [topologyAlignment],
    uses: [podCgroups],
    provides: [exclusiveCpus],
    setup({ core, hostFiles, node, services, ...ports }) {
      const { readTopology = () => readMachineTopology(hostFiles) } = options;
      const manager = createCpuManager(
        {
          ...ports,
          readTopology,
          mayUseCpus: (uid) => mayUseResources(core, uid),
          runningContainers: () => runningContainers(core),
          hasExited: ({ podUid, id }) =>
            core.runtimePod(podUid)?.containers.some((one) => one.id.id === id && one.state === 'exited') ?? false,
        },
        options,
        node.rootDirectory,
      );
      const cgroups = services.find(podCgroups);
      services.get(topologyAlignment).addProvider(manager.hintProvider);
      return {
        services: [provide(exclusiveCpus, manager.exclusive)],
        contributions: [
          contribute(containerSteps, {
            name: 'cpu-manager',
            preCreate(pod, { name }, { linux }) {
              const cpus = manager.cpusOf(podUid(pod), name);
              if (linux?.resources !== undefined && cpus !== '') linux.resources.cpusetCpus = cpus;
            },
            preStart: (pod, { name }, id) => manager.created({ podUid: podUid(pod), name, id }),
          }),
          contribute(podSteps, {
            name: 'quota of exclusive CPUs',
            // The cgroup of the pod exists by now. With a quota it would limit the containers that have none.
            async prepare(pod, signal) {
              const isUnlimited = podContainers(pod).some(({ container }) =>
                manager.exclusive.isUnlimited(podUid(pod), container.name),
              );
              if (!isUnlimited || cgroups === undefined) return;
              try {
                const values = await cgroups.read(pod, signal);
                if (values !== undefined && values.cpuQuotaUs !== -1)
                  await cgroups.write(pod, { cpuQuotaUs: -1 }, signal);
              } catch (error) {
                const message = `unable to lift the CPU quota of the pod: ${errorMessage(error)}`;
                throw new PodStepError('FailedCreatePodContainer', message, { cause: error });
              }
            },
          }),
          contribute(housekeepingSteps, {
            name: 'release the CPUs of pods that have ended',
            run: () => manager.release(),
          }),
          contribute(debugSections, { name: 'cpus', inspect: () => manager.inspect() }),
        ],
        start: () => manager.start(),
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}

function runningContainers(core: AgentCore): readonly RunningContainer[] {
  return core
    .runtimePods()
    .flatMap(({ uid, containers }) =>
      containers.flatMap(({ id, name, state }) => (state === 'running' ? [{ podUid: uid, name, id: id.id }] : [])),
    );
}
