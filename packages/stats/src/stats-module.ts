import { type AgentModule, contribute, provide } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { nodeStatistics, podCgroups } from '@rxlet/agent-api/node';
import { podVolumes, podVolumeUsage } from '@rxlet/agent-api/volumes';
import { createHostMachine, type Machine } from '@rxlet/machine';
import { workingSetBytes } from './cgroup/cgroup-sample.ts';
import { createKernelFiles, type KernelFiles } from './cgroup/kernel-files.ts';
import { createNodeCgroups, type NodeCgroups } from './cgroup/node-cgroups.ts';
import { openCgroupReader } from './cgroup/open-reader.ts';
import { createUseHistory } from './history/use-history.ts';
import { registerPodMetrics } from './metrics/pod-metrics.ts';
import { type CadvisorProvider, createCadvisorProvider } from './metrics/cadvisor-provider.ts';
import { createFileSystems } from './node/file-systems.ts';
import { processStartSeconds } from './node/kernel-facts.ts';
import { createPodFiles } from './node/pod-files.ts';
import { createSummaryProvider, type SummaryProvider } from './node/summary-provider.ts';
import { type SystemCgroups, systemCgroupPaths } from './node/system-cgroups.ts';
import { createVolumeStatistics } from './node/volume-statistics.ts';
import { statsEndpoints, type StatsEndpointsPorts } from './stats-endpoints.ts';
import { createPodStatistics, type FileSystems } from './summary/pod-statistics.ts';

/** Options of {@link stats}. */
export interface StatsOptions {
  /** Returns the agent's metrics in the Prometheus text format, of which `/metrics/probes` has those of probes. Default: none. */
  readonly metrics?: StatsEndpointsPorts['ownMetrics'];
  /** Take all of the runtime's statistics, and measure no cgroups of pods (feature gate PodAndContainerStatsFromCRI). Default: false. */
  readonly onlyFromRuntime?: boolean | undefined;
  /** Age at which the volumes of a pod are measured again, in milliseconds; negative: never (KubeletConfiguration `volumeStatsAggPeriod`). Default: one minute. */
  readonly volumePeriodMs?: number | undefined;
  /** Cgroups of the system. Default: that of the agent. */
  readonly systemCgroups?: SystemCgroups | undefined;
  /** Default: those of this machine. */
  readonly kernelFiles?: KernelFiles | undefined;
  /** Default: those of this machine. */
  readonly fileSystems?: FileSystems | undefined;
  /** Default: this machine. */
  readonly machine?: Machine | undefined;
}

/**
 * Creates the agent module that measures the node, its pods and containers on request: `/stats/summary`, `/metrics/cadvisor`, `/metrics/resource` and
 * `/metrics/probes`, and the service `nodeStatistics`. At rest it only reads CPU time and memory of the node twice a minute, for `/stats/history`.
 */
export function stats(options: StatsOptions = {}): AgentModule {
  return {
    name: 'stats',
    uses: [podCgroups, podVolumes, podVolumeUsage],
    provides: [nodeStatistics],
    setup({ runtime, images, files, hostFiles, clock, logger, metrics, node, core, services }) {
      const { kernelFiles = createKernelFiles(), machine = createHostMachine(hostFiles) } = options;
      const { fileSystems = createFileSystems(clock, node.rootDirectory) } = options;
      const managed = services.find(podCgroups);
      const podsPath = (): string | undefined => managed?.podsPath();
      // The mounts of cgroups are read at the first request, not at set-up.
      let opened: Measurement | undefined;
      const open = (): Measurement => (opened ??= createMeasurement());
      const [volumes, usage] = [services.find(podVolumes), services.find(podVolumeUsage)];
      const podFiles = createPodFiles({ files, clock, logger }, node);
      metrics.gauge({
        name: 'kubelet_metrics_provider',
        help: "[ALPHA] Metrics provider used by kubelet to collect container stats. Values can be 'cadvisor' and 'cri'",
        labelNames: ['provider'],
        // Whether there are cgroups of pods is known only once they were created.
        async collect() {
          const isFromCgroups = options.onlyFromRuntime !== true && podsPath() !== undefined;
          return [{ value: 1, labels: { provider: isFromCgroups ? 'cadvisor' : 'cri' } }];
        },
      });
      const collectionSeconds = metrics.histogram({
        name: 'kubelet_volume_metric_collection_duration_seconds',
        help: '[ALPHA] Duration in seconds to calculate volume stats',
        labelNames: ['metric_source'],
        buckets: SECONDS_BUCKETS,
      });
      const onMeasured = (source: string, durationMs: number): void =>
        collectionSeconds.observe(durationMs / 1000, { metric_source: source });
      const volumeStatistics =
        volumes &&
        usage &&
        createVolumeStatistics(
          { clock, logger, fileSystems, volumes, usage, onMeasured },
          { periodMs: options.volumePeriodMs },
        );
      registerPodMetrics({ metrics, podFiles, volumes: volumeStatistics, pods: () => core.pods.list() });
      const createMeasurement = (): Measurement => {
        const reader = openCgroupReader(kernelFiles);
        const cgroups = createNodeCgroups({ kernelFiles, reader, clock, podsPath });
        const podStatistics = createPodStatistics(
          {
            runtime,
            clock,
            fileSystems,
            measureCgroups: cgroups.pods,
            podFiles,
            volumes: volumeStatistics ?? { ofPod: () => undefined },
          },
          options,
        );
        return {
          cgroups,
          summaries: createSummaryProvider(
            {
              clock,
              images,
              kernelFiles,
              fileSystems,
              cgroups,
              podStatistics,
              volumes: volumeStatistics,
              podsPath,
              activePods: () => core.activePods(),
            },
            { nodeName: node.name, systemCgroups: options.systemCgroups },
          ),
          cadvisor: createCadvisorProvider({
            runtime,
            cgroups,
            reader,
            kernelFiles,
            machine,
            logger,
            pods: () => core.pods.list(),
            systemCgroups: () => {
              const { kubelet, runtime, misc } = systemCgroupPaths(kernelFiles, options.systemCgroups);
              return [kubelet, runtime, misc];
            },
          }),
        };
      };
      const history = createUseHistory(clock, () => {
        const sample = open().cgroups.sample('/');
        if (sample?.cpu === undefined || sample.memory === undefined) return undefined;
        return {
          timeMs: sample.timeMs,
          cpuNanoseconds: sample.cpu.usageNanoseconds,
          workingSetBytes: workingSetBytes(sample.memory),
        };
      });
      return {
        start: () => history.start(),
        services: [
          provide(nodeStatistics, {
            summary: (signal, podUids) => open().summaries.summary(signal, podUids),
            memory: () => open().summaries.memory(),
            fileSystemLayout: (signal) => open().summaries.fileSystemLayout(signal),
          }),
        ],
        contributions: [
          contribute(
            httpEndpoints,
            ...statsEndpoints({
              summaries: {
                summary: (signal) => open().summaries.summary(signal),
                cpuAndMemory: (signal) => open().summaries.cpuAndMemory(signal),
              },
              cadvisor: (signal) => open().cadvisor(signal),
              history: () => history.samples(),
              ownMetrics: options.metrics,
              processStartSeconds: () => processStartSeconds(kernelFiles),
              logger,
            }),
          ),
        ],
        async [Symbol.asyncDispose]() {
          history[Symbol.dispose]();
          await volumeStatistics?.[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** The default buckets of Prometheus' client for Go, in seconds. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Measurement {
  readonly cgroups: NodeCgroups;
  readonly summaries: SummaryProvider;
  readonly cadvisor: CadvisorProvider;
}
