import { activeDeadlines } from '@rxlet/agent';
import { type AgentModule, admissionHandlers, contribute, type PodStep, podSteps, provide } from '@rxlet/agent-api';
import { podProbes, type PodProbes } from '@rxlet/agent-api/containers';
import { podAllocation } from '@rxlet/container-manager';
import { type CallOptions, ContainerState, type ListContainersResponse } from '@rxlet/cri-api';
import { eviction } from '@rxlet/eviction';
import { imageManagement, type ImageManagementOptions } from '@rxlet/image-manager';
import { nodeShutdown } from '@rxlet/node-shutdown';
import { PodAnnotation } from '@rxlet/pod-model';
import { type Prober, probes } from '@rxlet/prober';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { DEBUG_CONTAINERS } from '../parts/debug-part.ts';
import { EVICTION } from '../parts/pressure-part.ts';
import { SHUTDOWN_GROUPS } from '../workload/part-steps.ts';
import { override } from '../world/override.ts';
import { type BrokenAgent, wrapCall } from './broken-agent.ts';

const CLAIM_STATE = '/root/dra_manager_state';

/** Agents with one defect each in what the workload `extended` puts to the test. */
export const BROKEN_PARTS: readonly BrokenAgent[] = [
  {
    name: 'allocates resources that other pods have',
    workload: 'extended',
    seeds: 60,
    properties: ['allocations-fit'],
    assembly: () => ({ modules: () => [allocationWithoutOthers()] }),
  },
  {
    name: 'loses the resizes of containers',
    workload: 'extended',
    seeds: 20,
    properties: ['converges'],
    assembly: () => ({ prepare: (node) => wrapCall(node, 'updateContainerResources', async () => ({})) }),
  },
  {
    name: 'evicts critical pods',
    workload: 'extended',
    seeds: 60,
    properties: ['evicted-under-pressure', 'healthy-containers-run', 'converges'],
    assembly: () => ({ modules: () => [evictionOfAllPods()] }),
  },
  {
    name: 'reports pressure long after its end',
    workload: 'extended',
    seeds: 20,
    properties: ['converges'],
    assembly: () => ({ modules: () => [eviction({ ...EVICTION, pressureTransitionPeriodMs: 86_400_000 })] }),
  },
  {
    name: 'shortens the grace periods of a shutdown',
    workload: 'extended',
    seeds: 40,
    properties: ['grace-periods-given'],
    assembly: () => ({
      modules: (_life, _node, { logind }) => [
        nodeShutdown({ byPodPriority: SHUTDOWN_GROUPS.map((group) => ({ ...group, gracePeriodSeconds: 1 })), logind }),
      ],
    }),
  },
  {
    name: 'gives devices away before their containers have ended',
    workload: 'extended',
    seeds: 80,
    properties: ['devices-given-once'],
    assembly: () => ({ wrapModule: (module) => (module.name === 'device-plugins' ? withEndedPods(module) : module) }),
  },
  {
    name: 'gives CPUs away before their containers have ended',
    workload: 'extended',
    seeds: 20,
    properties: ['cpus-kept', 'converges'],
    assembly: () => ({ wrapModule: (module) => (module.name === 'cpu-manager' ? withEndedPods(module) : module) }),
  },
  {
    name: 'gives memory of NUMA nodes away before its containers have ended',
    workload: 'extended',
    seeds: 20,
    properties: ['memory-kept', 'converges'],
    assembly: () => ({ wrapModule: (module) => (module.name === 'memory-manager' ? withEndedPods(module) : module) }),
  },
  {
    name: 'takes damaged records of CPUs, memory and claims for missing ones',
    workload: 'extended',
    seeds: 120,
    properties: ['damaged-assignments-stop-agent'],
    assembly: () => ({
      wrapModule: (module) => (ASSIGNING.has(module.name) ? withoutDamagedFiles(module) : module),
    }),
  },
  {
    name: 'unprepares claims before their containers have ended',
    workload: 'extended',
    seeds: 20,
    properties: ['claims-kept-while-used'],
    assembly: () => ({
      wrapModule: (module) => (module.name === 'dynamic-resources' ? withEndedPods(module) : module),
    }),
  },
  {
    name: 'reports the end of pods whose claims are prepared',
    workload: 'extended',
    seeds: 20,
    properties: ['claims-unprepared-at-end'],
    assembly: () => ({
      wrapModule: (module) => (module.name === 'dynamic-resources' ? withoutRelease(module) : module),
    }),
  },
  {
    name: 'forgets claims with each start',
    workload: 'extended',
    seeds: 60,
    properties: ['claims-unprepared-at-end', 'claims-prepared-at-start', 'converges', 'leaves-nothing'],
    assembly: () => ({
      prepare({ files: { nodeFiles } }) {
        const { readPrivate } = nodeFiles;
        nodeFiles.readPrivate = async (path, ...rest) =>
          path === CLAIM_STATE ? undefined : readPrivate(path, ...rest);
      },
    }),
  },
  {
    name: 'restarts containers that are not ready',
    workload: 'extended',
    seeds: 20,
    properties: ['healthy-containers-run'],
    assembly: () => ({ modules: () => [probesWith(({ readinessResults }) => readinessResults)] }),
  },
  {
    name: 'does not restart containers that are stuck',
    workload: 'extended',
    seeds: 60,
    properties: ['probes-have-effect', 'converges'],
    assembly: () => ({ modules: () => [probesWith(() => () => new Map())] }),
  },
  {
    name: 'forgets the deadlines of pods',
    workload: 'extended',
    seeds: 20,
    properties: ['deadlines-kept', 'converges'],
    assembly: () => ({ modules: () => [deadlinesFrom(86_400)] }),
  },
  {
    name: 'ends pods before their deadlines',
    workload: 'extended',
    seeds: 20,
    properties: ['deadlines-kept', 'healthy-containers-run'],
    assembly: () => ({ modules: () => [deadlinesFrom(-4)] }),
  },
  {
    name: 'runs ephemeral containers again',
    workload: 'extended',
    seeds: 20,
    properties: ['debug-containers-run-once', 'rising-attempts'],
    assembly: () => ({ prepare: (node) => wrapCall(node, 'listContainers', withoutEndedDebugContainers) }),
  },
  {
    name: 'restarts the container alone whose exit demands the restart of all',
    workload: 'extended',
    seeds: 40,
    properties: ['all-containers-restart', 'converges'],
    assembly: () => ({
      parts: {
        createRuntimeManager: (ports, options) =>
          override(createRuntimeManager(ports, options), (part) => ({
            syncPod: (pod, status, more) => part.syncPod(pod, status, { ...more, restartAllContainers: false }),
          })),
      },
    }),
  },
  {
    name: 'pulls images again without a back-off',
    workload: 'extended',
    seeds: 40,
    properties: ['pulls-back-off'],
    assembly: () => ({
      modules: () => [imageManagement({ readFsStats, backoffInitialMs: 1_000, backoffMaxMs: 1_000 })],
    }),
  },
  {
    name: 'takes a checkpoint for written before its fsync',
    seeds: 120,
    properties: ['terminal-phases-stay', 'rising-restart-counts', 'converges', 'no-exception'],
    assembly: () => ({
      prepare: ({ files: { nodeFiles } }) => void (nodeFiles.replaceFile = (...args) => nodeFiles.writeFile(...args)),
    }),
  },
];

/** The disk never fills. */
const readFsStats: ImageManagementOptions['readFsStats'] = async () => ({ capacityBytes: 1e12, availableBytes: 9e11 });

/** Hides ephemeral containers that have ended. */
async function withoutEndedDebugContainers(
  call: (request: unknown, options?: CallOptions) => Promise<unknown>,
  request: unknown,
  options?: CallOptions,
): Promise<unknown> {
  const answer = (await call(request, options)) as ListContainersResponse;
  return {
    ...answer,
    containers: answer.containers.filter(
      ({ metadata, state }) =>
        state !== ContainerState.CONTAINER_EXITED || !DEBUG_CONTAINERS.includes(metadata?.name ?? ''),
    ),
  };
}

/** Returns the module of deadlines, with a clock that is slow by some seconds. */
function deadlinesFrom(seconds: number): AgentModule {
  const module = activeDeadlines();
  return {
    ...module,
    setup: (context) =>
      module.setup({
        ...context,
        clock: override(context.clock, (clock) => ({ now: () => clock.now() - seconds * 1_000 })),
      }),
  };
}

/** Returns the module of probes with other results of liveness probes. */
function probesWith(livenessOf: (prober: Prober) => PodProbes['livenessResults']): AgentModule {
  const module = probes();
  return {
    ...module,
    setup(context) {
      const parts = module.setup(context);
      const services = parts?.services?.map((one) =>
        Object.is(one.key, podProbes)
          ? provide(podProbes, { ...(one.service as PodProbes), livenessResults: livenessOf(one.service as Prober) })
          : one,
      );
      return { ...parts, ...(services && { services }) };
    },
  };
}

/** Names of the modules that assign CPUs, memory and claims. */
const ASSIGNING: ReadonlySet<string> = new Set(['cpu-manager', 'memory-manager', 'dynamic-resources']);

/** Takes files that are not JSON for missing ones. */
function withoutDamagedFiles(module: AgentModule): AgentModule {
  return {
    ...module,
    setup: (context) =>
      module.setup({
        ...context,
        files: override(context.files, (files) => ({
          async readPrivate(path, maxBytes) {
            const text = await files.readPrivate(path, maxBytes);
            try {
              JSON.parse(text ?? '');
              return text;
            } catch {
              return undefined;
            }
          },
        })),
      }),
  };
}

/** Decides on resizes as if there were no other pod. */
function allocationWithoutOthers(): AgentModule {
  const module = podAllocation();
  return {
    ...module,
    setup: (context) =>
      module.setup({
        ...context,
        core: override(context.core, () => ({ knownPods: () => [] })),
        collections: override(context.collections, ({ of }) => ({
          of: (key) => (Object.is(key, admissionHandlers) ? [] : of(key)),
        })),
      }),
  };
}

/** Takes static pods for others. */
function evictionOfAllPods(): AgentModule {
  const module = eviction(EVICTION);
  return {
    ...module,
    setup: (context) =>
      module.setup({
        ...context,
        core: override(context.core, (core) => ({
          activePods: () =>
            core.activePods().map((pod) => {
              const { [PodAnnotation.configSource]: _source, ...annotations } = pod.metadata?.annotations ?? {};
              return { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec!, priority: 0 } };
            }),
        })),
      }),
  };
}

/** Leaves claims to the check of each minute. */
function withoutRelease(module: AgentModule): AgentModule {
  return {
    ...module,
    setup(context) {
      const parts = module.setup(context);
      const contributions = parts?.contributions?.map(({ key, items }) =>
        Object.is(key, podSteps)
          ? contribute(podSteps, ...(items as PodStep[]).map(({ release: _release, ...step }) => step))
          : { key, items },
      );
      return { ...parts, ...(contributions && { contributions }) };
    },
  };
}

/** Takes all pods for ended. */
function withEndedPods(module: AgentModule): AgentModule {
  return {
    ...module,
    setup: (context) =>
      module.setup({
        ...context,
        core: override(context.core, () => ({
          mayRunContainers: () => false,
          podStatus: () => ({ phase: 'Failed' as const }),
        })),
      }),
  };
}
