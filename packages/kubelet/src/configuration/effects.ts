import type { ConfigurationOfModule, FlagHelp, Setting } from '@rxlet/agent-api/configuration';
import { changedFields, FEATURE_GATES, FLAGS, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { KUBELET_MODULES } from '../modules.ts';
import { coreConfiguration, programConfiguration } from './core-configuration.ts';

const configurations: readonly ConfigurationOfModule<unknown>[] = [
  coreConfiguration,
  programConfiguration,
  ...KUBELET_MODULES.filter((entry) => typeof entry !== 'function'),
];

/** Names of the modules by which a field, a flag or a feature gate takes effect; `core` and `program` are the core of the agent and its program. */
export function modulesOf(name: string): readonly string[] {
  const effects = ({ fields = [], flags = [], gates = [] }: ConfigurationOfModule<unknown>): readonly string[] => [
    ...fields,
    ...flags,
    ...gates,
  ];
  return configurations.filter((entry) => effects(entry).includes(name)).map((entry) => entry.name);
}

/** Reports whether a module applies a changed field while the agent runs. */
export function isReloadable(module: string, field: string): boolean {
  return configurations.some(
    ({ name, reloadableFields = [] }) => name === module && (reloadableFields as readonly string[]).includes(field),
  );
}

/** Paths of the fields of KubeletConfiguration that have an effect on an agent with the presets; all others are only validated. */
export const FIELDS_IN_EFFECT: ReadonlySet<string> = new Set(configurations.flatMap(({ fields = [] }) => fields));

/** Flags of the kubelet that are no fields and have an effect on an agent with the presets. */
export const FLAGS_IN_EFFECT: ReadonlySet<string> = new Set(configurations.flatMap(({ flags = [] }) => flags));

/** Options of the modules that a kubelet does not have. */
export const MODULE_SETTINGS: readonly Setting<unknown>[] = configurations.flatMap(({ settings = [] }) => settings);

/** Flags of modules in `--help` of a program: those of the kubelet, and settings. */
export const FLAG_HELP: readonly FlagHelp[] = configurations.flatMap(({ help = [], settings = [] }) => [
  ...help,
  ...settings.map((setting) => ({
    flag: flagOfSetting(setting),
    ...(setting.argument !== undefined && { argument: setting.argument }),
    text: setting.help,
  })),
]);

/** Returns the flag of a setting, without dashes in front. */
export function flagOfSetting({ name }: Setting<unknown>): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Feature gates that switch something of an agent with the presets. */
export const GATES_IN_EFFECT: ReadonlySet<string> = new Set(configurations.flatMap(({ gates = [] }) => gates));

/** Reasons for which fields and flags of the kubelet have no effect. */
export const REASONS_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map(
  configurations.flatMap(({ withoutEffect = {} }) => Object.entries(withoutEffect) as [string, string][]),
);

/** Returns a line that names the fields, flags and feature gates that have no effect although they differ from their defaults; `undefined` when there are none. */
export function describeMissingEffects(
  loaded: Pick<LoadedConfiguration, 'configuration' | 'configuredFields' | 'flags' | 'gates'>,
): string | undefined {
  const fields = changedFields(loaded).filter((path) => path !== 'featureGates' && !FIELDS_IN_EFFECT.has(path));
  const flags = [...loaded.flags].filter(
    ([name, value]) => FLAGS.get(name)?.path === undefined && !FLAGS_IN_EFFECT.has(name) && value !== false,
  );
  const gates = Object.entries(loaded.configuration.featureGates ?? {}).filter(
    ([name, value]) => FEATURE_GATES.get(name)?.enabledByDefault !== value && !GATES_IN_EFFECT.has(name),
  );
  const names = [
    ...fields,
    ...gates.map(([name, value]) => `featureGates.${name}=${String(value)}`),
    ...flags.map(([name]) => `--${name}`),
  ];
  if (names.length === 0) return undefined;
  return `parts of the configuration have no effect: ${names.join(', ')} (see docs/kubelet-configuration.md)`;
}
