/** Life of an agent on a test node. It ends at a chosen moment, after which nothing that the agent does has an effect. */
export interface AgentLife {
  /** Aborts at the end. */
  readonly signal: AbortSignal;
  /** Counts a call of a port. Returns whether the agent is still alive. */
  enter(): boolean;
  end(): void;
  /** Ends the life in place of the n-th call of a port from now on. */
  endAtCall(calls: number): void;
}

/** Returns the failure of calls after the end. */
export const agentKilled = (): Error => new Error('the agent was killed');

/** Begins a life. */
export function createAgentLife(): AgentLife {
  const controller = new AbortController();
  let callsLeft = Infinity;
  const end = (): void => controller.abort(agentKilled());
  return {
    signal: controller.signal,
    enter() {
      callsLeft -= 1;
      if (callsLeft <= 0) end();
      return !controller.signal.aborted;
    },
    end,
    endAtCall: (calls) => void (callsLeft = calls),
  };
}
