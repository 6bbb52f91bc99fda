import type { ExtensionPoints, ModuleParts } from '@rxlet/agent-api';
import { ModuleError } from './module-error.ts';

/** Contributions of modules, while they are collected. */
type Collected = { -readonly [Point in keyof ExtensionPoints]: ExtensionPoints[Point][number][] };

/** Extension points of an agent; see {@link createContributions}. */
export interface Contributions {
  /** The contributions so far. The lists grow while modules are set up. */
  readonly points: ExtensionPoints;
  /** Adds the contributions of a module. @throws ModuleError for a second contribution where only one is allowed */
  add(moduleName: string, parts: ModuleParts): void;
}

/** Creates empty extension points. */
export function createContributions(): Contributions {
  const points: Collected = {
    podSources: [],
    admission: [],
    podSteps: [],
    containerSteps: [],
    syncTriggers: [],
    evictors: [],
    podStatus: [],
    nodeStatus: [],
    statusRestorers: [],
    statusSinks: [],
    eventSinks: [],
    mirrorPods: [],
    housekeeping: [],
    garbageCollection: [],
    endpoints: [],
    healthChecks: [],
    debugState: [],
    supportedPodFields: [],
  };
  /** Contribution that must be unique → the module that made it. */
  const owners = new Map<string, string>();
  const own = (moduleName: string, thing: string): void => {
    const other = owners.get(thing);
    if (other !== undefined) {
      const message = `cannot set up module "${moduleName}": module "${other}" contributes the ${thing} already; list one of them`;
      throw new ModuleError('DuplicateContribution', message);
    }
    owners.set(thing, moduleName);
  };

  return {
    points,
    add(moduleName, parts) {
      for (const { path } of parts.endpoints ?? []) own(moduleName, `endpoint /${path}`);
      for (const { name } of parts.podSources ?? []) own(moduleName, `pod source "${name}"`);
      for (const { name } of parts.healthChecks ?? []) own(moduleName, `health check "${name}"`);
      for (const { name } of parts.debugState ?? []) own(moduleName, `debug section "${name}"`);
      for (const type of (parts.podStatus ?? []).flatMap(({ conditionTypes }) => conditionTypes)) {
        own(moduleName, `pod condition "${type}"`);
      }
      for (const { fields = [], conditionTypes = [] } of parts.nodeStatus ?? []) {
        for (const field of fields) own(moduleName, `node status field "${field}"`);
        for (const type of conditionTypes) own(moduleName, `node condition "${type}"`);
      }
      if ((parts.mirrorPods ?? []).length > 0) own(moduleName, 'mirror pods');
      for (const point of Object.keys(points) as (keyof ExtensionPoints)[]) {
        (points[point] as unknown[]).push(...(parts[point] ?? []));
      }
    },
  };
}
