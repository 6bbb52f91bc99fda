/** Moment of a kill at a call: in place of it, or after its effect and before its answer. */
export type KillPlace = 'before' | 'after';

/** Life of an agent on a test node. It ends at a chosen moment, after which nothing that the agent does has an effect. */
export interface AgentLife {
  /** Aborts at the end. */
  readonly signal: AbortSignal;
  /** Counts a call of a port. Returns whether the agent is still alive. */
  enter(): boolean;
  end(): void;
  /**
   * Ends the life in place of the n-th call of a port from now on, or after its effect and before its answer. A call that never ends does not end the life.
   */
  endAtCall(calls: number, place?: KillPlace): void;
  /** Called with the result of a call of a port: ends the life when that call was its last one. */
  leave(): void;
}

/** Returns the failure of calls after the end. */
export const agentKilled = (): Error => new Error('the agent was killed');

/** Begins a life. */
export function createAgentLife(): AgentLife {
  const controller = new AbortController();
  let callsLeft = Infinity;
  let place: KillPlace = 'before';
  const end = (): void => controller.abort(agentKilled());
  return {
    signal: controller.signal,
    enter() {
      callsLeft -= 1;
      if (callsLeft <= 0 && place === 'before') end();
      return !controller.signal.aborted;
    },
    end,
    endAtCall(calls, at = 'before') {
      callsLeft = calls;
      place = at;
    },
    leave() {
      if (callsLeft <= 0) end();
    },
  };
}
