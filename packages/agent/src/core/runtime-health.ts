import type { RuntimeHealth } from '@rxlet/agent-api/node';
import type { Pleg } from '@rxlet/pleg';
import type { RuntimeState } from './runtime-state.ts';

/** Returns the health of the runtime for modules. */
export function createRuntimeHealth(
  runtimeState: Pick<RuntimeState, 'isKnown' | 'problems' | 'handlers' | 'features'>,
  pleg: Pick<Pleg, 'problem'>,
): RuntimeHealth {
  return {
    isKnown: runtimeState.isKnown,
    handlers: () => runtimeState.handlers(),
    features: () => runtimeState.features(),
    problems() {
      const problem = pleg.problem();
      return runtimeState.problems(problem === undefined ? [] : [`PLEG is not healthy: ${problem}`]);
    },
  };
}
