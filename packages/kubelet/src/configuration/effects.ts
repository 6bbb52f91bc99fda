import type { ConfigurationOfModule, FlagHelp, Setting } from '@rxlet/agent-api/configuration';
import { FLAGS, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { KUBELET_MODULES } from '../modules.ts';
import { coreConfiguration, programConfiguration } from './core-configuration.ts';

const configurations: readonly ConfigurationOfModule<unknown>[] = [
  coreConfiguration,
  programConfiguration,
  ...KUBELET_MODULES.filter((entry) => typeof entry !== 'function'),
];

/** Names of the modules by which a field or a flag takes effect; `core` and `program` are the core of the agent and its program. */
export function modulesOf(fieldOrFlag: string): readonly string[] {
  const effects = ({ fields = [], flags = [] }: ConfigurationOfModule<unknown>): readonly string[] => [
    ...fields,
    ...flags,
  ];
  return configurations.filter((entry) => effects(entry).includes(fieldOrFlag)).map(({ name }) => name);
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

/** Returns one line for each field and flag that is configured and has no effect yet. */
export function describeMissingEffects({
  configuredFields,
  flags,
}: Pick<LoadedConfiguration, 'configuredFields' | 'flags'>): string[] {
  const fields = [...configuredFields].filter((path) => !FIELDS_IN_EFFECT.has(path));
  const others = [...flags.keys()].filter((name) => FLAGS.get(name)?.path === undefined && !FLAGS_IN_EFFECT.has(name));
  return [
    ...fields.map((path) => `the field "${path}" of the configuration has no effect yet`),
    ...others.map((name) => `the flag --${name} has no effect yet`),
  ];
}
