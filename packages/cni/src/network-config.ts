import { isJsonObject, type JsonObject, parseJsonObject, stringOf } from './json.ts';
import { DEFAULT_CNI_VERSION, CNI_VERSIONS, latestKnownVersion } from './version.ts';

/** A plugin of a network. */
export interface PluginConfig {
  /** Name of the plugin's program. */
  readonly type: string;
  /** Names of the capabilities whose arguments the plugin takes. */
  readonly capabilities: readonly string[];
  /** The plugin's object in the configuration, as it is. */
  readonly raw: JsonObject;
}

/** A network: a chain of plugins. */
export interface NetworkConfig {
  readonly name: string;
  readonly cniVersion: string;
  /** CHECK does nothing. */
  readonly disableCheck: boolean;
  readonly plugins: readonly PluginConfig[];
  /** Text of the configuration. A single plugin is wrapped in a list. */
  readonly text: string;
}

/** File name of a network and its content. */
export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

/** A configuration file that cannot be used. */
export interface ConfigProblem {
  readonly name: string;
  readonly message: string;
}

const NETWORK_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const EXTENSION = /\.(conflist|conf|json)$/;

/** Reports whether a file of a configuration folder is a network configuration. */
export function isConfigFileName(name: string): boolean {
  return EXTENSION.test(name);
}

/**
 * Returns the first valid network in the order of file names, which is the node's default network, and the problems of the files before it.
 */
export function selectNetwork(files: readonly ConfigFile[]): {
  readonly network: NetworkConfig | undefined;
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    try {
      return { network: parseNetworkConfig(file), problems };
    } catch (error) {
      problems.push({ name: file.name, message: (error as Error).message });
    }
  }
  return { network: undefined, problems };
}

/** Parses a configuration list, or a single plugin as a list of one. Throws an error that describes the fault. */
export function parseNetworkConfig({ name: fileName, text }: ConfigFile): NetworkConfig {
  const parsed = parseJsonObject(text);
  if (fileName.endsWith('.conflist')) return parseList(parsed, text);
  if (typeof parsed['type'] !== 'string') {
    throw new Error(
      Array.isArray(parsed['plugins'])
        ? 'it is a list of plugins: such a file must be named .conflist'
        : 'the field "type" is missing',
    );
  }
  const { name, cniVersion } = parsed;
  const list = { name, ...(cniVersion !== undefined && { cniVersion }), plugins: [parsed] };
  return parseList(list, JSON.stringify(list));
}

function parseList(list: JsonObject, text: string): NetworkConfig {
  const name = stringOf(list['name']);
  if (name === undefined || name === '') throw new Error('the field "name" is missing');
  if (!NETWORK_NAME.test(name)) throw new Error(`the network name ${JSON.stringify(name)} has invalid characters`);
  const { plugins } = list;
  if (!Array.isArray(plugins) || plugins.length === 0) throw new Error('the field "plugins" has no plugin');
  return {
    name,
    cniVersion: versionOf(list),
    disableCheck: list['disableCheck'] === true || list['disableCheck'] === 'true',
    plugins: plugins.map(parsePlugin),
    text,
  };
}

/** The version of a list: the latest known one of `cniVersions` and `cniVersion`. */
function versionOf({ cniVersion, cniVersions }: JsonObject): string {
  const listed = Array.isArray(cniVersions) ? cniVersions.filter((version) => typeof version === 'string') : [];
  const single = stringOf(cniVersion);
  const candidates = single === undefined || single === '' ? listed : [single, ...listed];
  if (candidates.length === 0) return DEFAULT_CNI_VERSION;
  const version = latestKnownVersion(candidates);
  if (version === undefined) {
    throw new Error(`the CNI version ${candidates.join(', ')} is not supported: known are ${CNI_VERSIONS.join(', ')}`);
  }
  return version;
}

function parsePlugin(raw: unknown, index: number): PluginConfig {
  const where = `plugin ${String(index + 1)}`;
  if (!isJsonObject(raw)) throw new Error(`${where} is not a JSON object`);
  const type = stringOf(raw['type']);
  if (type === undefined || type === '') throw new Error(`the field "type" of ${where} is missing`);
  if (type.includes('/') || type === '.' || type === '..') {
    throw new Error(`the type ${JSON.stringify(type)} of ${where} is not the name of a program`);
  }
  const { capabilities } = raw;
  const enabled = isJsonObject(capabilities) ? Object.entries(capabilities).filter(([, isOn]) => isOn === true) : [];
  return { type, capabilities: enabled.map(([capability]) => capability), raw };
}
