import type { AgentModule } from '@rxlet/agent-api';
import { type PodSource, sourceParts } from '@rxlet/agent-api/sources';

/** Creates the agent module that runs the pods of a source. The agent starts the source and disposes of it. */
export function podsFrom(source: PodSource): AgentModule {
  return { name: `pods-from-${source.name}`, setup: () => sourceParts(source) };
}
