import type { ModuleParts } from './agent-module.ts';
import { contribute } from './collection-key.ts';
import { podSources } from './core-collections.ts';
import type { PodSource } from './pod-source.ts';

/** Returns the parts of a module that contributes a pod source. */
export function sourceParts(source: PodSource): ModuleParts {
  return {
    contributions: [contribute(podSources, source)],
    // For an agent whose creation fails; otherwise the core has disposed of the source.
    [Symbol.asyncDispose]: async () => source[Symbol.asyncDispose](),
  };
}
