import type { ContainerStep, ExtensionPoints, ModuleParts, PodStep } from '@rxlet/agent-api';
import { ModuleError } from './module-error.ts';

/** Contributions of modules, while they are collected. */
type Collected = { -readonly [Point in keyof ExtensionPoints]: ExtensionPoints[Point][number][] };

/** Extension points of an agent; see {@link createContributions}. */
export interface Contributions {
  /** The contributions so far. The lists grow while modules are set up. */
  readonly points: ExtensionPoints;
  /** Adds the contributions of a module. @throws ModuleError for an unknown one, and for a second one where only one is allowed */
  add(moduleName: string, parts: ModuleParts): void;
}

/** Members of a module's parts besides its contributions. */
const PARTS_OF_MODULES = ['services', 'start'] satisfies (keyof ModuleParts)[];
const MEMBERS_OF_POD_STEPS = ['name', 'prepare', 'terminating', 'stopped', 'tearDown'] satisfies (keyof PodStep)[];
const MEMBERS_OF_CONTAINER_STEPS = [
  'name',
  'additions',
  'preCreate',
  'preStart',
  'postStop',
] satisfies (keyof ContainerStep)[];

/**
 * Checks the names of optional members, so that a misspelled one is not ignored. An instance of a class may have members of its own.
 *
 * @throws ModuleError for an unknown name
 */
function checkKeys(moduleName: string, kind: string, of: object, ...allowed: readonly (readonly string[])[]): void {
  if (Object.getPrototypeOf(of) !== Object.prototype) return;
  const names = allowed.flat();
  const unknown = Object.keys(of).find((key) => !names.includes(key));
  if (unknown === undefined) return;
  const message = `cannot set up module "${moduleName}": unknown ${kind} "${unknown}"; there are ${names.join(', ')}`;
  throw new ModuleError('UnknownContribution', message);
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
      checkKeys(moduleName, 'contribution', parts, Object.keys(points), PARTS_OF_MODULES);
      for (const point of Object.keys(points) as (keyof ExtensionPoints)[]) {
        if (parts[point] === undefined || Array.isArray(parts[point])) continue;
        const message = `cannot set up module "${moduleName}": its contribution "${point}" is not a list`;
        throw new ModuleError('UnknownContribution', message);
      }
      for (const step of parts.podSteps ?? []) {
        checkKeys(moduleName, `member of pod step "${step.name}"`, step, MEMBERS_OF_POD_STEPS);
      }
      for (const step of parts.containerSteps ?? []) {
        checkKeys(moduleName, `member of container step "${step.name}"`, step, MEMBERS_OF_CONTAINER_STEPS);
      }
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
