import {
  describeMissingEffects,
  fromKubeletConfiguration,
  type KubeletPreset,
  parseSettings,
  readKubeletNode,
} from '@rxlet/kubelet';
import { offlineCacheConfiguration } from '@rxlet/offline-cache/configuration';
import { KubeletConfigurationError, type LoadedConfiguration, readConfiguration } from '@rxlet/kubelet-config';
import { createHostFiles } from '@rxlet/node-files';
import type { OpenFileLimit } from '../node/open-file-limit.ts';
import { DEFAULT_OOM_SCORE_ADJ } from '../node/oom-score-adj.ts';
import { chooseRuntime, fakeRuntimeDefaults, type RuntimeChoice, withFakeRuntimeFlags } from './choose-runtime.ts';
import { type ClusterSettings, clusterSettingsOf } from './cluster-settings.ts';
import { ConfigError, UsageError } from './config-error.ts';
import { openPorts, portWarnings } from './open-ports.ts';
import type { LogSettings } from '../agent-log.ts';
import { logSettingsOf } from './log-settings.ts';
import type { ColorChoice } from '../output/colors.ts';
import type { OwnFlags } from './own-flags.ts';

/** Settings of the agent: configuration, flags and facts of the machine together. */
export interface AgentSettings extends KubeletPreset {
  /** The configuration that the settings are of. */
  readonly loaded: LoadedConfiguration;
  readonly runtime: RuntimeChoice;
  /** Absent: the agent is standalone. */
  readonly cluster?: ClusterSettings | undefined;
  /** OOM score adjustment of the agent's own process. Unset: it stays as it is. */
  readonly oomScoreAdj: number | undefined;
  readonly log: LogSettings;
  /** Limit of the agent's open files. Unset: it stays as it is. */
  readonly openFiles: OpenFileLimit | undefined;
  /** Lock that the agent waits for and holds. */
  readonly lockFile: { readonly path: string; readonly exitsOnContention: boolean } | undefined;
  /** When the live table is coloured. */
  readonly color: ColorChoice;
  /** Whether the agent itself serves the page of `rxlet ui`. */
  readonly servesPage: boolean;
  /** Parts of the configuration that are ignored, a line each. */
  readonly warnings: readonly string[];
}

/**
 * Loads the settings of a command line of the kubelet.
 *
 * @throws UsageError for flags that the kubelet does not have, or that are invalid or contradict each other
 * @throws ConfigError for a configuration that the kubelet would reject, and for a machine without a usable name
 */
export async function loadSettings(given: readonly string[], ownFlags: OwnFlags): Promise<AgentSettings> {
  const { fakeRuntime = false, legacyKubeletDefaults: hasLegacyDefaults = false } = ownFlags;
  const files = createHostFiles();
  try {
    const { settings, rest: args } = parseSettings(given);
    const defaults = {
      // Unlike the kubelet, the agent runs on cgroup v1 unless failCgroupV1 is set.
      failCgroupV1: false,
      ...(fakeRuntime && fakeRuntimeDefaults(args)),
    };
    const read = await readConfiguration(files, args, { defaults, hasLegacyDefaults });
    const loaded = fakeRuntime ? withFakeRuntimeFlags(read) : read;
    rejectEmpty(loaded.flags);
    const hasFile = loaded.flags.has('config');
    if (hasLegacyDefaults && hasFile)
      throw new UsageError('--legacy-kubelet-defaults excludes --config: a kubelet with a file has no such defaults');
    const runtime = chooseRuntime(loaded, ownFlags);
    const preset = await fromKubeletConfiguration(loaded, await readKubeletNode(files), settings);
    const { directory: certificateDirectory } = preset.servingCertificates;
    const cluster = clusterSettingsOf(loaded, {
      nodeName: preset.node.name ?? '',
      certificateDirectory,
    });
    const hasOfflineCache = preset.modules.optionsOf(offlineCacheConfiguration) !== undefined;
    if (hasOfflineCache && cluster === undefined) throw new UsageError('--offline-cache requires --kubeconfig');
    const isStandalone = cluster === undefined;
    const ports = { ...loaded, isStandalone, isFake: fakeRuntime, hasLegacyDefaults, hasFile };
    const kubeletApi = preset.kubeletApi && openPorts(preset.kubeletApi, ports);
    return {
      ...preset,
      loaded,
      kubeletApi,
      runtime,
      cluster,
      oomScoreAdj: oomScoreAdjOf(loaded, fakeRuntime),
      log: logSettingsOf(loaded.configuration),
      openFiles: openFilesOf(loaded, fakeRuntime),
      lockFile: lockFileOf(loaded),
      color: ownFlags.color ?? 'auto',
      servesPage: ownFlags.ui === true,
      warnings: [...warningsOf(loaded), ...portWarnings(kubeletApi, ports)],
    };
  } catch (error) {
    if (!(error instanceof KubeletConfigurationError)) throw error;
    throw new (error.stage === 'flags' ? UsageError : ConfigError)(describe(error), { cause: error });
  }
}

/** An agent that is tried out is not worth more to the machine than its other programs. */
function oomScoreAdjOf({ configuration, configuredFields }: LoadedConfiguration, isFake: boolean): number | undefined {
  if (isFake && !configuredFields.has('oomScoreAdj')) return undefined;
  return configuration.oomScoreAdj ?? DEFAULT_OOM_SCORE_ADJ;
}

/** An agent that is tried out leaves its limit as it is, unless one is configured. */
function openFilesOf(
  { configuration, configuredFields }: LoadedConfiguration,
  isFake: boolean,
): OpenFileLimit | undefined {
  const isConfigured = configuredFields.has('maxOpenFiles');
  return isFake && !isConfigured ? undefined : { maxOpenFiles: configuration.maxOpenFiles ?? 1_000_000, isConfigured };
}

function lockFileOf({ flags }: LoadedConfiguration): AgentSettings['lockFile'] {
  const path = flags.get('lock-file') as string | undefined;
  const exitsOnContention = flags.get('exit-on-lock-contention') === true;
  if (path) return { path, exitsOnContention };
  if (exitsOnContention)
    throw new ConfigError('cannot exit on lock file contention: no lock file specified (--lock-file)');
  return undefined;
}

function describe({ stage, problems }: KubeletConfigurationError): string {
  const [first = '', ...more] = problems.map(({ message }) => message);
  if (stage === 'flags') return `${first} (rxlet --help lists the flags and commands)`;
  if (stage === 'read') return first;
  const subject = 'invalid configuration: ';
  return more.length === 0
    ? `${subject}${first}`
    : [`${subject}${String(problems.length)} problems`, first, ...more].join('\n  ');
}

function warningsOf(loaded: LoadedConfiguration): string[] {
  const { warnings, flags, skippedFiles } = loaded;
  const missing = describeMissingEffects(loaded);
  const hasNoFileToWrite = Boolean(flags.get('bootstrap-kubeconfig')) && !flags.has('kubeconfig');
  return [
    ...(hasNoFileToWrite ? ['ignored --bootstrap-kubeconfig: --kubeconfig, the file to write, is not given'] : []),
    ...warnings.map((warning) => `ignored a part of the configuration file: ${warning}`),
    ...skippedFiles.map((path) => `ignored the file "${path}" of --config-dir: its name does not end in .conf`),
    ...(missing === undefined ? [] : [missing]),
  ];
}

/** Flags that are rejected when they are empty: mostly a variable that the calling script did not set. */
const NEVER_EMPTY: readonly string[] = [
  'root-dir',
  'pod-manifest-path',
  'image-credential-provider-config',
  'image-credential-provider-bin-dir',
  'container-runtime-endpoint',
  'image-service-endpoint',
  'kubeconfig',
];

function rejectEmpty(flags: LoadedConfiguration['flags']): void {
  for (const name of NEVER_EMPTY) {
    const value = flags.get(name);
    if (typeof value === 'string' && value.trim() === '')
      throw new UsageError(`--${name} is empty: give it a value or leave it out`);
  }
}
