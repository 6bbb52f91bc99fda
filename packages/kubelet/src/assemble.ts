import type { AgentModule } from '@rxlet/agent-api';
import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { PresetModule } from './modules.ts';

/** Options of the modules of a preset. */
export interface ModuleChoices {
  /** Returns the options of a module; `undefined` when the preset does not have it. */
  optionsOf<Options>(module: ModuleConfiguration<Options>): Options | undefined;
}

/** Options of a preset without a configuration. */
export const defaultChoices: ModuleChoices = { optionsOf: ({ defaults }) => defaults };

/**
 * Returns the modules of a list, in its order. A module of `own` takes the place of the listed one of its name; the others follow at the end. Without `clients`, the
 * agent is standalone.
 */
export function assemble(
  listed: readonly PresetModule[],
  { optionsOf }: ModuleChoices,
  own: readonly AgentModule[],
  clients?: KubeClients,
): readonly AgentModule[] {
  const create = (entry: ModuleConfiguration): AgentModule | undefined => {
    const options = optionsOf(entry);
    if (options === undefined) return undefined;
    if (entry.agents !== 'cluster') return entry.module(options);
    return clients && entry.module(options, clients);
  };
  const agents = clients === undefined ? 'standalone' : 'cluster';
  const placed = new Set<AgentModule>();
  const replaced = new Set<string>();
  const modules = listed.flatMap((entry) => {
    const created = typeof entry === 'function' ? entry() : undefined;
    const given = own.find(({ name }) => name === (created ?? entry).name);
    if (given !== undefined) placed.add(given);
    if (typeof entry === 'function') return given ?? created ?? [];
    const isListed = entry.agents === undefined || entry.agents === agents;
    const module = given ?? (isListed ? create(entry) : undefined);
    if (module === undefined) return [];
    if (entry.replaces !== undefined) replaced.add(entry.replaces);
    return [module];
  });
  return [...modules.filter(({ name }) => !replaced.has(name)), ...own.filter((module) => !placed.has(module))];
}
