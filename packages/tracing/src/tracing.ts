import type { AgentModule } from '@rxlet/agent-api';
import type { TracedCalls } from './traced-calls.ts';

/** Traces of an agent. Disposing of it sends what is left; dispose of it after the agent. */
export interface Tracing extends AsyncDisposable {
  /** Makes spans of the agent's journal. */
  readonly module: AgentModule;
  /** Adds spans to the calls of the runtime. */
  readonly calls: TracedCalls;
}
