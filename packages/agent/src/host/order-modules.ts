import type { AgentModule, ServiceKey } from '@rxlet/agent-api';
import { ModuleError } from './module-error.ts';

/**
 * Orders modules so that providers of services come before the modules that need or use them; otherwise the given order is kept.
 *
 * @param ofCore services that the core provides
 * @throws ModuleError for duplicate names or providers, missing services and cycles
 */
export function orderModules(
  modules: readonly AgentModule[],
  ofCore: readonly ServiceKey<unknown>[] = [],
): readonly AgentModule[] {
  checkNames(modules);
  const providers = findProviders(modules);
  const ordered = new Set<AgentModule>();
  const visit = (module: AgentModule, path: readonly AgentModule[]): void => {
    if (ordered.has(module)) return;
    if (path.includes(module)) {
      const circle = [...path.slice(path.indexOf(module)), module].map(({ name }) => `"${name}"`).join(' needs ');
      throw new ModuleError(
        'CyclicNeeds',
        `cannot order the modules: ${circle}; break the circle with a smaller service`,
      );
    }
    for (const key of module.needs ?? []) {
      const provider = providers.get(key);
      if (provider === undefined && ofCore.includes(key)) continue;
      if (provider === undefined) {
        const message = `cannot set up module "${module.name}": it needs the service "${key.name}", which no module provides; add a module that does`;
        throw new ModuleError('MissingService', message);
      }
      visit(provider, [...path, module]);
    }
    for (const key of module.uses ?? []) {
      const provider = providers.get(key);
      if (provider !== undefined) visit(provider, [...path, module]);
    }
    ordered.add(module);
  };
  for (const module of modules) visit(module, []);
  return [...ordered];
}

function checkNames(modules: readonly AgentModule[]): void {
  const names = new Set<string>();
  for (const { name } of modules) {
    if (names.has(name)) {
      throw new ModuleError(
        'DuplicateModule',
        `cannot order the modules: two of them are named "${name}"; list it once`,
      );
    }
    names.add(name);
  }
}

function findProviders(modules: readonly AgentModule[]): ReadonlyMap<ServiceKey<unknown>, AgentModule> {
  const providers = new Map<ServiceKey<unknown>, AgentModule>();
  for (const module of modules) {
    for (const key of module.provides ?? []) {
      const other = providers.get(key);
      if (other !== undefined) {
        const message = `cannot order the modules: "${other.name}" and "${module.name}" both provide the service "${key.name}"; list one of them`;
        throw new ModuleError('DuplicateService', message);
      }
      providers.set(key, module);
    }
  }
  return providers;
}
