import { isAbsolute, normalize } from 'node:path';
import type {
  ConfigurationProblem,
  FeatureGates,
  KubeletConfiguration,
} from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';
import { validateAllocatable } from './validate-allocatable.ts';
import { validateImagePullCredentials } from './validate-image-pull-credentials.ts';
import { validateLogging } from './validate-logging.ts';
import { validateNumbers } from './validate-numbers.ts';
import { validateReservedMemory } from './validate-reserved-memory.ts';
import { validateShutdown } from './validate-shutdown.ts';
import { validateTaints } from './validate-taints.ts';
import { validateTracing } from './validate-tracing.ts';

/** Facts that values are validated against. */
export interface ValidationContext {
  readonly gates: FeatureGates;
  /** Version of the host's cgroup file system. */
  readonly cgroupVersion: 'v1' | 'v2';
}

/** Version of which hidden metrics may be shown: the minor version before the one whose rules these are. */
const PREVIOUS_VERSION = '1.35';

/** Returns all problems of the values of an effective configuration, by the rules of the kubelet of Kubernetes 1.36. */
export function validateConfiguration(
  configuration: KubeletConfiguration,
  context: ValidationContext,
): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const report: ProblemReport = (fields, message) => problems.push({ fields, message });
  validateNumbers(configuration, report);
  validateTaints(configuration, report);
  validatePolicies(configuration, context, report);
  validateShutdown(configuration, context.gates, report);
  validateBackOff(configuration, context.gates, report);
  validateAllocatable(configuration, report);
  validateImagePullCredentials(configuration, context.gates, report);
  validateReservedMemory(configuration, report);
  validateOperatingSystem(configuration, context, report);
  validateLogging(configuration.logging ?? {}, context.gates, report);
  validateTracing(configuration.tracing, report);
  validateMemoryQos(configuration, context.gates, report);
  validateLogs(configuration, context.gates, report);
  return problems;
}

function validatePolicies(
  configuration: KubeletConfiguration,
  { gates }: ValidationContext,
  report: ProblemReport,
): void {
  const oneOf = (
    field: 'topologyManagerPolicy' | 'topologyManagerScope' | 'hairpinMode',
    values: readonly string[],
  ) => {
    const value = configuration[field] ?? '';
    if (!values.includes(value)) report([field], `${field} "${value}" must be one of: ${values.join(', ')}`);
  };
  oneOf('topologyManagerPolicy', ['none', 'best-effort', 'restricted', 'single-numa-node']);
  oneOf('topologyManagerScope', ['container', 'pod']);
  oneOf('hairpinMode', ['none', 'hairpin-veth', 'promiscuous-bridge']);
  const swapBehavior = configuration.memorySwap?.swapBehavior ?? '';
  if (!['', 'NoSwap', 'LimitedSwap'].includes(swapBehavior))
    report(['memorySwap'], `memorySwap.swapBehavior "${swapBehavior}" must be one of: "", LimitedSwap, NoSwap`);
  if (configuration.serverTLSBootstrap === true && !gates.isEnabled('RotateKubeletServerCertificate'))
    report(['serverTLSBootstrap'], 'serverTLSBootstrap requires feature gate RotateKubeletServerCertificate');
  if (configuration.runOnce === true) report(['runOnce'], 'runOnce is no longer supported and must not be set');
  const shown = configuration.showHiddenMetricsForVersion ?? '';
  if (shown !== '' && shown !== PREVIOUS_VERSION)
    report(
      ['showHiddenMetricsForVersion'],
      `showHiddenMetricsForVersion "${shown}" must be omitted or have the value "${PREVIOUS_VERSION}"`,
    );
  if ((configuration.containerRuntimeEndpoint ?? '') === '')
    report(['containerRuntimeEndpoint'], 'containerRuntimeEndpoint was not specified or is empty');
}

function validateBackOff({ crashLoopBackOff }: KubeletConfiguration, gates: FeatureGates, report: ProblemReport): void {
  const periodMs = crashLoopBackOff?.maxContainerRestartPeriod;
  const isEnabled = gates.isEnabled('KubeletCrashLoopBackOffMax');
  const field = 'crashLoopBackOff.maxContainerRestartPeriod';
  if (isEnabled && periodMs === undefined)
    report(['crashLoopBackOff'], `${field} must be set while feature gate KubeletCrashLoopBackOffMax is enabled`);
  if (isEnabled && periodMs !== undefined && (Math.trunc(periodMs) < 1_000 || Math.trunc(periodMs) > 300_000))
    report(['crashLoopBackOff'], `${field} (${String(periodMs / 1000)} seconds) must be between 1s and 300s`);
  if (!isEnabled && periodMs !== undefined)
    report(['crashLoopBackOff'], `${field} requires feature gate KubeletCrashLoopBackOffMax`);
}

function validateOperatingSystem(
  { failCgroupV1, singleProcessOOMKill, userNamespaces }: KubeletConfiguration,
  { cgroupVersion }: ValidationContext,
  report: ProblemReport,
): void {
  // As in the kubelet, the first problem hides the others.
  const idsPerPod = userNamespaces?.idsPerPod;
  if (cgroupVersion === 'v1' && failCgroupV1 === true)
    report(
      ['failCgroupV1'],
      'the host uses cgroup v1, which is unsupported: set failCgroupV1 to false to run all the same',
    );
  else if (cgroupVersion === 'v1' && singleProcessOOMKill === false)
    report(['singleProcessOOMKill'], 'singleProcessOOMKill must not be explicitly set to false when using cgroup v1');
  else if (idsPerPod !== undefined && (idsPerPod < 65_536 || idsPerPod % 65_536 !== 0 || idsPerPod > 2 ** 32 - 1))
    report(
      ['userNamespaces'],
      `userNamespaces.idsPerPod ${String(idsPerPod)} must be a multiple of 65536 up to 2^32-1`,
    );
}

function validateMemoryQos(configuration: KubeletConfiguration, gates: FeatureGates, report: ProblemReport): void {
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy = '' } = configuration;
  if (gates.isEnabled('MemoryQoS') && factor === undefined)
    report(['memoryThrottlingFactor'], 'memoryThrottlingFactor is required while feature gate MemoryQoS is enabled');
  if (factor !== undefined && (factor <= 0 || factor > 1))
    report(['memoryThrottlingFactor'], `memoryThrottlingFactor ${String(factor)} must be greater than 0 and at most 1`);
  if (policy === 'TieredReservation' && !gates.isEnabled('MemoryQoS'))
    report(['memoryReservationPolicy'], 'memoryReservationPolicy TieredReservation requires feature gate MemoryQoS');
  if (policy !== 'None' && policy !== 'TieredReservation')
    report(['memoryReservationPolicy'], `memoryReservationPolicy "${policy}" must be one of: None, TieredReservation`);
}

function validateLogs(configuration: KubeletConfiguration, gates: FeatureGates, report: ProblemReport): void {
  const { enableSystemLogQuery, enableSystemLogHandler, podLogsDir = '' } = configuration;
  if (enableSystemLogQuery === true && !gates.isEnabled('NodeLogQuery'))
    report(['enableSystemLogQuery'], 'enableSystemLogQuery requires feature gate NodeLogQuery');
  if (enableSystemLogQuery === true && enableSystemLogHandler !== true)
    report(['enableSystemLogHandler', 'enableSystemLogQuery'], 'enableSystemLogQuery requires enableSystemLogHandler');
  if ((configuration.containerLogMaxWorkers ?? 0) < 1)
    report(['containerLogMaxWorkers'], 'containerLogMaxWorkers must be at least 1');
  if ((configuration.containerLogMonitorInterval ?? 0) < 3_000)
    report(['containerLogMonitorInterval'], 'containerLogMonitorInterval must be at least 3s');
  if ((configuration.containerLogMaxFiles ?? 0) <= 1)
    report(['containerLogMaxFiles'], 'containerLogMaxFiles must be greater than 1');
  if (podLogsDir === '') report(['podLogsDir'], 'podLogsDir was not specified');
  if (!isAbsolute(podLogsDir)) report(['podLogsDir'], `podLogsDir "${podLogsDir}" must be an absolute path`);
  if (!isCleanPath(podLogsDir)) report(['podLogsDir'], `podLogsDir "${podLogsDir}" must be normalized`);
  if (/[^\x00-\x7f]/.test(podLogsDir))
    report(['podLogsDir'], `podLogsDir "${podLogsDir}" must consist of ASCII characters`);
}

function isCleanPath(path: string): boolean {
  return path === normalize(path) && (path === '/' || !path.endsWith('/'));
}
