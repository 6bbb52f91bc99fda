import { errorMessage } from '@rxlet/component-base';
import {
  type FeatureGates,
  type KubeletConfiguration,
  KubeletConfigurationError,
} from '@rxlet/component-base/kubelet-configuration';
import { decodeConfiguration, decodeDropIn } from './decode/decode-configuration.ts';
import { decodeStruct } from './decode/decode-value.ts';
import { encodeStruct } from './decode/encode-value.ts';
import type { JsonObject } from './decode/json-value.ts';
import { mergePatch } from './decode/merge-patch.ts';
import { applyDefaults, applyDefaultsWithoutFile, DEFAULT_EVICTION_HARD } from './defaults.ts';
import { type FeatureGateValues, resolveFeatureGates } from './feature-gates/feature-gates.ts';
import { applyFlags, flagPaths, parseFlags } from './flags/parse-flags.ts';
import { kubeletConfigurationFields } from './schema/kubelet-configuration-fields.ts';
import { setFieldPaths } from './schema/field-paths.ts';
import { validateConfiguration } from './validation/validate-configuration.ts';

/** A file and its content. */
export interface ConfigurationFile {
  readonly path: string;
  readonly content: string;
}

/** Parts of a configuration. */
export interface ConfigurationSources {
  /** The file of `--config`. */
  readonly file?: ConfigurationFile;
  /** The files below the directory of `--config-dir`; absent: the flag was not given. */
  readonly dropIns?: readonly ConfigurationFile[];
  /** The command line. */
  readonly args?: readonly string[];
  /** Version of the host's cgroup file system. */
  readonly cgroupVersion: 'v1' | 'v2';
  /** Defaults of an agent where they differ from the kubelet's. */
  readonly defaults?: KubeletConfiguration;
  /**
   * Whether the kubelet's legacy defaults apply without a file: anonymous clients may do everything, and a read-only port is open. Default: true, as in the kubelet;
   * otherwise those of an empty file apply.
   */
  readonly hasLegacyDefaults?: boolean | undefined;
}

/** An effective configuration. */
export interface LoadedConfiguration {
  readonly configuration: KubeletConfiguration;
  readonly gates: FeatureGates;
  /** Unknown and duplicate fields of the file, which are ignored. */
  readonly warnings: readonly string[];
  /** Paths of files in the drop-in directory that were ignored, because their names do not end in `.conf`. */
  readonly skippedFiles: readonly string[];
  /** Paths of the fields that file, drop-ins or flags set, such as `authentication.webhook.enabled`. */
  readonly configuredFields: ReadonlySet<string>;
  /** Values by flag, including the flags that are no fields of the configuration. */
  readonly flags: ReadonlyMap<string, unknown>;
}

/**
 * Makes the effective configuration: defaults, then the file, then drop-ins in the order of their paths, then flags.
 * @throws KubeletConfigurationError with the stage that rejected it
 *
 * @example
 * ```ts
 * import { loadConfiguration } from '@rxlet/kubelet-config';
 *
 * const content = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 50\n';
 * const { configuration } = loadConfiguration({
 *   file: { path: '/var/lib/kubelet/config.yaml', content },
 *   args: ['--max-pods=60'],
 *   cgroupVersion: 'v2',
 * });
 * console.log(configuration.maxPods); // 60
 * ```
 */
export function loadConfiguration(sources: ConfigurationSources): LoadedConfiguration {
  const flags = parseFlags(sources.args ?? []);
  const flagGates = (flags.values.get('feature-gates') as FeatureGateValues | undefined) ?? {};
  const gatesOfFlags = requireGates('flags', flagGates);

  const base = sources.file === undefined ? undefined : decodeConfiguration(sources.file.content, sources.file.path);
  const defaultsWithoutFile =
    sources.hasLegacyDefaults === false ? applyDefaults({}, gatesOfFlags) : applyDefaultsWithoutFile(gatesOfFlags);
  const fromFile = base === undefined ? defaultsWithoutFile : defaultFile(base.configuration, flagGates);
  const { merged, skippedFiles, configured } = mergeDropIns(fromFile, sources.dropIns, flagGates);
  const configuredFields = new Set([
    ...(base === undefined ? [] : setFieldPaths(base.configuration)),
    ...configured,
    ...flagPaths(flags),
  ]);

  const ownDefaults = Object.entries(sources.defaults ?? {}).filter(([name]) => !configuredFields.has(name));
  const configuration = { ...applyFlags(merged, flags), ...Object.fromEntries(ownDefaults) };
  const gates = requireGates('featureGates', { ...flagGates, ...configuration.featureGates });
  const problems = validateConfiguration(configuration, { gates, cgroupVersion: sources.cgroupVersion });
  if (problems.length > 0) throw new KubeletConfigurationError('validation', problems);
  return { configuration, gates, warnings: base?.warnings ?? [], skippedFiles, configuredFields, flags: flags.values };
}

function requireGates(stage: 'flags' | 'defaults' | 'featureGates', values: FeatureGateValues): FeatureGates {
  const { gates, problems } = resolveFeatureGates(values);
  if (gates !== undefined) return gates;
  throw new KubeletConfigurationError(
    stage,
    problems.map((message) => ({ message, fields: ['featureGates'] })),
  );
}

function defaultFile(configuration: KubeletConfiguration, flagGates: FeatureGateValues): KubeletConfiguration {
  const gates = requireGates('defaults', { ...flagGates, ...configuration.featureGates });
  const { evictionHard, mergeDefaultEvictionSettings } = configuration;
  return {
    ...applyDefaults(configuration, gates),
    evictionHard:
      mergeDefaultEvictionSettings === true
        ? { ...DEFAULT_EVICTION_HARD, ...evictionHard }
        : (evictionHard ?? DEFAULT_EVICTION_HARD),
  };
}

const DROP_IN_EXTENSION = '.conf';

/** Reports whether a file of the drop-in directory is a drop-in. The content of others is not used. */
export function isDropIn({ path }: Pick<ConfigurationFile, 'path'>): boolean {
  return path.endsWith(DROP_IN_EXTENSION);
}

function mergeDropIns(
  base: KubeletConfiguration,
  dropIns: readonly ConfigurationFile[] | undefined,
  flagGates: FeatureGateValues,
): { merged: KubeletConfiguration; skippedFiles: readonly string[]; configured: readonly string[] } {
  if (dropIns === undefined) return { merged: base, skippedFiles: [], configured: [] };
  const files = dropIns.toSorted((left, right) => compareWalkOrder(left.path, right.path));
  const configured: string[] = [];
  let json: JsonObject = encodeStruct(kubeletConfigurationFields, base);
  for (const { path, content } of files.filter(isDropIn)) {
    try {
      const patch = decodeDropIn(content);
      configured.push(...setFieldPaths(patch));
      json = mergePatch(json, patch);
    } catch (error) {
      throw new KubeletConfigurationError('merge', [`cannot load the drop-in file "${path}": ${errorMessage(error)}`]);
    }
  }
  const skippedFiles = files.filter((file) => !isDropIn(file)).map(({ path }) => path);
  let decoded: KubeletConfiguration;
  try {
    decoded = decodeStruct(kubeletConfigurationFields, json, '', { ignoreCase: true });
  } catch (error) {
    throw new KubeletConfigurationError('merge', [`cannot merge the drop-in files: ${errorMessage(error)}`]);
  }
  const gates = requireGates('defaults', { ...flagGates, ...decoded.featureGates });
  return { merged: applyDefaults(decoded, gates), skippedFiles, configured };
}

/** Orders paths as a walk of the directory does: names in byte order, level by level. */
function compareWalkOrder(left: string, right: string): number {
  const [leftNames, rightNames] = [left.split('/'), right.split('/')];
  const index = leftNames.findIndex((name, at) => name !== rightNames[at]);
  if (index < 0) return leftNames.length - rightNames.length;
  return Buffer.compare(Buffer.from(leftNames[index]!), Buffer.from(rightNames[index] ?? ''));
}
