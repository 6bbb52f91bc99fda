import { differentFields, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { isReloadable, modulesOf } from './effects.ts';

/** Changes of a configuration, by what they need. */
export interface ReloadPlan {
  /** Fields that take effect while the agent runs. */
  readonly applied: readonly string[];
  /** Names of the modules by which they do; `program` is the program itself. */
  readonly modules: readonly string[];
  /** Fields that take effect with a restart of the agent, for some of their modules at least. */
  readonly needRestart: readonly string[];
}

/** Compares the configuration in effect with a new one. */
export function planReload(
  before: Pick<LoadedConfiguration, 'configuration'>,
  after: Pick<LoadedConfiguration, 'configuration'>,
): ReloadPlan {
  const changed = differentFields(before.configuration, after.configuration).map((field) => {
    const modules = modulesOf(field);
    return { field, modules, reloadable: modules.filter((module) => isReloadable(module, field)) };
  });
  return {
    applied: changed.filter(({ reloadable }) => reloadable.length > 0).map(({ field }) => field),
    modules: [...new Set(changed.flatMap(({ reloadable }) => reloadable))],
    needRestart: changed
      .filter(({ modules, reloadable }) => modules.length > reloadable.length)
      .map(({ field }) => field),
  };
}
