import { type AgentModule, contribute, type ModuleParts, type PodSource, podSources } from '@rxlet/agent-api';

/** Creates the agent module that runs the pods of a source. The agent starts the source and disposes of it. */
export function podsFrom(source: PodSource): AgentModule {
  return { name: `pods-from-${source.name}`, setup: () => sourceParts(source) };
}

/** Returns the parts of a module that contributes a source. */
export function sourceParts(source: PodSource): ModuleParts {
  return {
    contributions: [contribute(podSources, source)],
    // For an agent whose creation fails; otherwise the core has disposed of the source.
    [Symbol.asyncDispose]: async () => source[Symbol.asyncDispose](),
  };
}
