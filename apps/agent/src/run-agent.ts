import { type Agent, createAgent } from '@rxlet/agent';
import { type AgentModule, type HealthCheck, healthChecks, provide } from '@rxlet/agent-api';
import { imagePulls, type ImagePulls } from '@rxlet/agent-api/images';
import { hostPathMaker, type HostPathMaker } from '@rxlet/agent-api/volumes';
import { servingCertificates } from '@rxlet/certificates';
import { cgroups, type CgroupsOptions } from '@rxlet/container-manager';
import { cgroupsConfiguration } from '@rxlet/container-manager/configuration';
import { imageManagement } from '@rxlet/image-manager';
import { iptablesConfiguration } from '@rxlet/iptables/configuration';
import { imageManagementConfiguration } from '@rxlet/image-manager/configuration';
import { kubeletApi, localSocket } from '@rxlet/kubelet-server';
import { nodeShutdown } from '@rxlet/node-shutdown';
import { nodeShutdownConfiguration } from '@rxlet/node-shutdown/configuration';
import { staticPodsConfiguration, staticPodsFromUrlConfiguration } from '@rxlet/pod-source/configuration';
import { createHostFiles } from '@rxlet/node-files';
import { stats } from '@rxlet/stats';
import type { Tracing, TracingOptions } from '@rxlet/tracing';
import { statsConfiguration } from '@rxlet/stats/configuration';
import { abortable, createLifetime, errorMessage, type Logger, onAbort, systemClock } from '@rxlet/component-base';
import { exitOnFatalErrors } from '@rxlet/component-base/command';
import { collectProcessMetrics, createPrometheusMetrics } from '@rxlet/component-base/prometheus';
import { logUnhandledStreamErrors } from '@rxlet/component-base/streams';
import { releaseMemoryAtRest } from '@rxlet/component-base/release-memory';
import { UnixSocketError } from '@rxlet/component-base/unix-socket';
import { nodeFsStats, type ReadFsStats } from '@rxlet/image-manager/gc';
import type { ServerContent } from '@rxlet/kubelet-server';
import { Registry } from 'prom-client';
import { ConfigError } from './config/config-error.ts';
import { rejectSecondAgent } from './config/find-agent.ts';
import type { ClusterSettings } from './config/cluster-settings.ts';
import type { AgentSettings } from './config/load-settings.ts';
import type { ClusterConnection, ConnectClusterPorts } from './connect-cluster.ts';
import { socketPath } from './config/standard-places.ts';
import { connectRuntime } from './connect-runtime.ts';
import { applyOwnOomScoreAdj } from './node/oom-score-adj.ts';
import { acquireFileLock, type FileLock } from './node/file-lock.ts';
import { applyOpenFileLimit } from './node/open-file-limit.ts';
import { prepareDirectories } from './node/prepare-directories.ts';
import { createReload } from './node/reload-signal.ts';
import { watchConfiguration } from './node/watch-configuration.ts';
import { createServiceNotifier, sendBySystemdNotify, type ServiceNotifier } from './node/service-notifier.ts';
import { logPodChanges } from './log-pod-changes.ts';
import { createAgentLog } from './agent-log.ts';
import { usesColors } from './output/colors.ts';
import { showLiveTable } from './terminal/live-table.ts';
import { createNoticeLogger } from './terminal/notice-logger.ts';

/**
 * Runs the agent until `signal` aborts; the pods run on after that. Without a terminal, SIGHUP makes it apply the configuration that `loadAgain` returns.
 *
 * @throws ConfigError, CriError, UnixSocketError when it cannot start
 */
export async function runAgent(
  settings: AgentSettings,
  signal: AbortSignal,
  loadAgain: () => Promise<AgentSettings>,
): Promise<void> {
  const { node, options, modules } = settings;
  const { rootDirectory } = node;
  const startTimeMs = systemClock.now();
  const { stdout } = process;
  // On a terminal, warnings are printed above the live table instead of log lines through it.
  let writeNotice = (line: string): void => void process.stderr.write(`${line}\n`);
  using log = createAgentLog(settings.log);
  const logger: Logger = stdout.isTTY ? createNoticeLogger((line) => writeNotice(line)) : log.logger;
  for (const warning of settings.warnings) logger.warn(warning);
  const registry = new Registry();
  const metrics = createPrometheusMetrics(registry);
  // As a kubelet's: no name has characters that would have to be escaped.
  const contentType = `${registry.contentType}; escaping=underscores`;
  // From the first scrape on: watching the garbage collector and the event loop has a price, which only those who look at it pay.
  let isProcessObserved = false;
  const readMetrics = async () => {
    if (!isProcessObserved) collectProcessMetrics(registry);
    isProcessObserved = true;
    return { contentType, text: await registry.metrics() };
  };

  using _streamErrors = logUnhandledStreamErrors(logger);
  using _fatalErrors = exitOnFatalErrors({
    process,
    clock: systemClock,
    logger,
    stop: () => lifetime[Symbol.asyncDispose](),
  });
  await using lifetime = createLifetime();
  const keep = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(async () => {
      await part[Symbol.asyncDispose]();
    });
    return part;
  };

  const lock = settings.lockFile && keep(await acquireFileLock(settings.lockFile.path, { clock: systemClock }, signal));
  await rejectSecondAgent(rootDirectory);
  const tracing = settings.tracing && keep(await loadTracing(settings.tracing, logger));
  const hasCertificates = settings.cluster !== undefined || settings.kubeletApi?.port !== undefined;
  const certificateDirectory = hasCertificates ? settings.servingCertificates.directory : undefined;
  const prepare = (): Promise<void> => prepareDirectories({ ...node, ...options, certificateDirectory });
  // The runtime on Docker has its files in the root directory.
  if (settings.runtime.kind === 'docker') await prepare();
  const { hints, pullProgress, hostPaths, ...connection } = keep(
    await connectRuntime(settings, logger.child({ logger: 'runtime' }), metrics, signal),
  );
  const runtime = tracing === undefined ? connection.runtime : tracing.calls.runtime(connection.runtime);
  const images = tracing === undefined ? connection.images : tracing.calls.images(connection.images);
  await prepare();
  if (settings.openFiles !== undefined) await applyOpenFileLimit(settings.openFiles, { logger });
  if (settings.oomScoreAdj !== undefined) await applyOwnOomScoreAdj(settings.oomScoreAdj, logger);
  const cluster =
    settings.cluster &&
    keep(
      await connectTo(settings.cluster, {
        logger: logger.child({ logger: 'kube-client' }),
        metrics,
        trace: tracing?.http.client,
      }),
    );
  const manifests = modules.optionsOf(staticPodsConfiguration);
  if (
    cluster === undefined &&
    manifests === undefined &&
    modules.optionsOf(staticPodsFromUrlConfiguration) === undefined
  )
    logger.warn(
      'there is no source of pods: name a folder of manifests with --pod-manifest-path, or a cluster with --kubeconfig',
    );

  const content: ServerContent = {
    ...settings.serverContent,
    metrics: readMetrics,
    setVerbosity: log.setVerbosity,
    startTimeMs,
  };
  let imagePullsOf = (): ImagePulls['pulls'] | undefined => undefined;
  const pullView: AgentModule = {
    name: 'pull-view',
    uses: [imagePulls],
    setup({ services }) {
      imagePullsOf = () => services.find(imagePulls)?.pulls;
      return {};
    },
  };
  const own = [
    ...(stdout.isTTY ? [pullView] : []),
    localSocket({ ...content, socketPath: socketPath(rootDirectory) }),
    nodeShutdown({ ...modules.optionsOf(nodeShutdownConfiguration), onDrainRequest }),
    stats({ ...modules.optionsOf(statsConfiguration), metrics: readMetrics }),
    ...(settings.kubeletApi === undefined
      ? []
      : [kubeletApi({ ...settings.kubeletApi, content, tracer: tracing?.http.server })]),
    ...(settings.kubeletApi?.port === undefined ? [] : [servingCertificates(settings.servingCertificates)]),
    ...(cluster?.modules ?? []),
    ...(tracing === undefined ? [] : [tracing.module]),
    ...(hostPaths === undefined ? [] : [hostPathsFrom(hostPaths)]),
    ...(settings.runtime.kind === 'fake' ? trialModules(settings) : []),
  ];
  const agent = keep(
    await createAgent(
      { runtime, images, hints, pullProgress, node, logger, metrics },
      cluster === undefined ? modules.standalone(own) : modules.node(cluster.clients, own),
      options,
    ),
  );
  const notifier = serviceNotifier(agent.contributions(healthChecks), logger, keep);
  if (stdout.isTTY) {
    const colors = usesColors(settings.color, true, process.env);
    const table = showLiveTable(agent.pods, stdout, systemClock, logger, { colors, pulls: imagePullsOf() });
    writeNotice = (line) => table.printAbove(line);
    lifetime.defer(() => table[Symbol.dispose]());
  } else {
    const logging = logPodChanges(agent.pods.changes$, logger);
    lifetime.defer(() => logging.unsubscribe());
  }
  await startAgent(agent, signal);
  logger.info('rxlet is running', {
    node: node.name,
    manifests: manifests?.path,
    kubeconfig: settings.cluster?.kubeconfigPath,
    rootDirectory,
    socket: socketPath(rootDirectory),
  });
  if (!stdout.isTTY) {
    const reload = createReload({ logger, log, agent, load: loadAgain }, settings.loaded);
    lifetime.defer(onHangUp(() => void lifetime.track(reload.apply())));
    const watched = ['config', 'config-dir']
      .map((flag) => settings.loaded.flags.get(flag))
      .filter((path) => typeof path === 'string');
    const watching = watchConfiguration(
      { hostFiles: createHostFiles(), clock: systemClock, logger },
      watched,
      () => void lifetime.track(reload.report()),
    );
    lifetime.defer(() => watching[Symbol.dispose]());
  }
  notifier?.ready();
  if (settings.servesPage) {
    const { createPage } = await import('./create-page.ts');
    const page = keep(await createPage({ clock: systemClock }, { socketPath: socketPath(rootDirectory) }));
    writeNotice(`page: ${await page.start()}`);
  }
  using _releases = releaseMemoryAtRest({ clock: systemClock });

  const stopped = new Promise<void>((resolve) => onAbort(signal, () => resolve()));
  await (settings.lockFile?.exitsOnContention === true && lock !== undefined
    ? Promise.race([stopped, exitOnContention(lock, logger, signal)])
    : stopped);
  logger.info(settings.runtime.kind === 'fake' ? 'rxlet is stopping' : 'rxlet is stopping; the pods run on');
  await notifier?.stopping();
}

/** Resolves when another process wants the lock, or `signal` aborts. */
async function exitOnContention(lock: FileLock, logger: Logger, signal: AbortSignal): Promise<void> {
  await lock.contention(signal).catch(() => undefined);
  if (!signal.aborted) logger.info('another process waits for the file lock');
}

/** The embedded runtime is for trying out: it uses nothing of the machine, and leaves it as it is. */
const UNTOUCHED_MACHINE: CgroupsOptions = {
  cgroupsPerQOS: false,
  failSwapOn: false,
  kernelParameters: undefined,
  kubeletCgroups: undefined,
  systemCgroups: undefined,
};

/** Modules of an agent on the embedded runtime, which has no cgroups and no packets to filter, and images on a disk that this machine does not have. */
function trialModules({ modules, node: { rootDirectory } }: AgentSettings): readonly AgentModule[] {
  const readFsStats: ReadFsStats = () => nodeFsStats(rootDirectory);
  return [
    cgroups({ ...modules.optionsOf(cgroupsConfiguration), ...UNTOUCHED_MACHINE }),
    imageManagement({ ...modules.optionsOf(imageManagementConfiguration), readFsStats }),
    { name: iptablesConfiguration.name, setup: () => ({}) },
  ];
}

/** Creates the module that lets the runtime create the paths of hostPath volumes. */
function hostPathsFrom(hostPaths: HostPathMaker): AgentModule {
  const services = [provide(hostPathMaker, hostPaths)];
  return { name: 'host-paths', provides: [hostPathMaker], setup: () => ({ services }) };
}

/** Drains the node at the signal SIGUSR2, which neither Node.js nor systemd uses. */
function onDrainRequest(drain: () => void): Disposable {
  process.on('SIGUSR2', drain);
  return { [Symbol.dispose]: () => void process.off('SIGUSR2', drain) };
}

/** @returns a function that removes the handler */
function onHangUp(handle: () => void): () => void {
  process.on('SIGHUP', handle);
  return () => void process.off('SIGHUP', handle);
}

async function loadTracing(options: TracingOptions, logger: Logger): Promise<Tracing> {
  // The SDK of OpenTelemetry is loaded where traces are configured only.
  const { createTracing } = await import('@rxlet/tracing');
  return createTracing(options, { logger: logger.child({ logger: 'tracing' }) });
}

async function connectTo(cluster: ClusterSettings, ports: ConnectClusterPorts): Promise<ClusterConnection> {
  // The client of the API server is loaded where there is one only.
  const { connectCluster } = await import('./connect-cluster.ts');
  return connectCluster(cluster, ports);
}

/** Health checks that feed the watchdog, as in the kubelet: a restart of the agent cures neither a runtime that is down nor a broken manifest. */
const WATCHDOG_CHECKS: readonly string[] = ['ping', 'syncloop'];

function serviceNotifier(
  contributed: readonly HealthCheck[],
  logger: Logger,
  own: <T extends AsyncDisposable>(part: T) => T,
): ServiceNotifier | undefined {
  const checks = contributed.filter(({ name }) => WATCHDOG_CHECKS.includes(name));
  const checkHealth = (): string | undefined =>
    checks.map(({ check }) => check()).find((problem) => problem !== undefined);
  const ports = { clock: systemClock, logger, send: sendBySystemdNotify, checkHealth };
  const notifier = createServiceNotifier(ports, process.env, process.pid);
  return notifier === undefined ? undefined : own(notifier);
}

/** Starts the agent. Its start may wait for a runtime that hangs: the end is not held up by that. */
async function startAgent(agent: Agent, signal: AbortSignal): Promise<void> {
  try {
    await abortable(agent.start(), signal);
  } catch (error) {
    if (!(error instanceof UnixSocketError)) throw error;
    throw new ConfigError(`${errorMessage(error)} (the socket is in the folder of --root-dir)`, { cause: error });
  }
}
