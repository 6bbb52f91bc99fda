import { mkdir } from 'node:fs/promises';
import { createAgent, readNodeFacts } from '@rxlet/agent';
import { createLifetime, errorMessage, type Logger, systemClock } from '@rxlet/component-base';
import { createPrometheusMetrics } from '@rxlet/component-base/prometheus';
import { nodeConfigFiles, nodeFsStats, type ReadFsStats } from '@rxlet/image-manager';
import { createKubeletServer } from '@rxlet/kubelet-server';
import { createFileSource, createHttpSource, nodeLastGoodFile, type PodSnapshotSource } from '@rxlet/pod-source';
import { createNodeCheckpointFile } from '@rxlet/status-manager';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { agentOptions } from './config/agent-options.ts';
import { ConfigError } from './config/config-error.ts';
import { readCredentialProviders } from './config/credential-providers.ts';
import { type AgentSettings, socketPath } from './config/settings.ts';
import { connectRuntime } from './connect-runtime.ts';
import { logPodChanges } from './log-pod-changes.ts';
import { createPinoLogger } from './pino-logger.ts';
import { showLiveTable } from './terminal/live-table.ts';
import { createNoticeLogger } from './terminal/notice-logger.ts';

/**
 * Runs the agent until `signal` aborts; the pods run on after that.
 *
 * @throws ConfigError, CriError, UnixSocketError when it cannot start
 */
export async function runAgent(settings: AgentSettings, signal: AbortSignal): Promise<void> {
  const { nodeName, manifestPath, rootDirectory, podLogsDirectory, containerLogsDirectory } = settings;
  const { stdout } = process;
  // On a terminal, warnings stand above the table that is shown there; log lines would spoil it.
  let note = (line: string): void => void process.stderr.write(`${line}\n`);
  const logger: Logger = stdout.isTTY ? createNoticeLogger((line) => note(line)) : createPinoLogger(settings.verbosity);
  const registry = new Registry();
  // The delay of the event loop is sampled by a timer: at its default of 10 ms that alone would be most of what an idle agent costs.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 });
  const metrics = createPrometheusMetrics(registry);

  await using lifetime = createLifetime();
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(async () => {
      await part[Symbol.asyncDispose]();
    });
    return part;
  };

  const { runtime, images, hints } = own(await connectRuntime(settings, logger, metrics, signal));
  await makeDirectory(rootDirectory, 0o750, '--root-dir');
  await makeDirectory(podLogsDirectory, 0o750, 'podLogsDir in the configuration');
  if (containerLogsDirectory !== undefined)
    await makeDirectory(containerLogsDirectory, 0o755, 'podLogsDir in the configuration');
  const sources = podSources(settings, logger);
  if (sources.length === 0)
    logger.warn('there is no source of pods: name a folder of manifests with --pod-manifest-path');

  const { credentialProviders: places } = settings;
  const providers = places === undefined ? undefined : await readCredentialProviders(places);
  // The embedded runtime says that its images are on a disk that this machine does not have.
  const readFsStats: ReadFsStats = (path) => nodeFsStats(settings.runtime.kind === 'fake' ? rootDirectory : path);
  const credentials = { files: nodeConfigFiles, ...(providers && { processes: providers.processes }) };
  const statusFile = createNodeCheckpointFile(rootDirectory);
  const ports = { runtime, images, hints, sources, readFsStats, credentials, statusFile, logger, metrics };
  const facts = await readNodeFacts();
  const agent = own(await createAgent(ports, agentOptions(settings, facts, providers)));
  const server = own(
    createKubeletServer(
      {
        clock: systemClock,
        pods: agent.pods,
        events: agent.events,
        healthChecks: agent.healthChecks,
        metrics: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
        debugState: agent.debugState,
        readLog: agent.readLog,
        logger,
      },
      { socketPath: socketPath(rootDirectory), nodeName },
    ),
  );
  await server.start();
  if (stdout.isTTY) {
    const table = showLiveTable(agent.pods, stdout, systemClock);
    note = (line) => table.note(line);
    lifetime.defer(() => table[Symbol.dispose]());
  } else {
    const logging = logPodChanges(agent.pods.changes$, logger);
    lifetime.defer(() => logging.unsubscribe());
  }
  logger.info('rxlet is running', {
    node: nodeName,
    manifests: manifestPath,
    rootDirectory,
    socket: socketPath(rootDirectory),
  });
  agent.start();

  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  logger.info(settings.runtime.kind === 'fake' ? 'rxlet is stopping' : 'rxlet is stopping; the pods run on');
}

function podSources(settings: AgentSettings, logger: Logger): PodSnapshotSource[] {
  const { manifestPath, manifestUrl, nodeName, kubelet, rootDirectory } = settings;
  const ports = { clock: systemClock, logger };
  const sources: PodSnapshotSource[] = [];
  if (manifestPath !== undefined) {
    const checkPeriodMs = kubelet.fileCheckFrequency;
    const lastGoodFile = nodeLastGoodFile(rootDirectory);
    sources.push(createFileSource({ ...ports, lastGoodFile }, { path: manifestPath, nodeName, checkPeriodMs }));
  }
  if (manifestUrl !== undefined) {
    const checkPeriodMs = kubelet.httpCheckFrequency;
    sources.push(createHttpSource(ports, { ...manifestUrl, nodeName, checkPeriodMs }));
  }
  return sources;
}

async function makeDirectory(path: string, mode: number, setting: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode });
  } catch (error) {
    throw new ConfigError(`cannot make the folder ${path}: ${errorMessage(error)}; choose another with ${setting}`, {
      cause: error,
    });
  }
}
