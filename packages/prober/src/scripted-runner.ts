import { ProbeError, type ProbeOutcome, type ProbeRequest, type ProbeRunner } from './probe-runner.ts';
import { onAbort } from '@rxlet/component-base';

/** Behaviour of a scripted run: an outcome, or only its result; `error` for a run without a result; `hang` for a run that lasts until its signal aborts. */
export type ScriptedOutcome = ProbeOutcome | ProbeOutcome['result'] | 'error' | 'hang';

/** A {@link ProbeRunner} with scripted outcomes. */
export interface ScriptedRunner extends ProbeRunner {
  /** Requests of all runs so far, in order. */
  readonly requests: readonly ProbeRequest[];
}

/** Creates a {@link ScriptedRunner}. `answer` returns the outcome of each run; a promise delays it. */
export function createScriptedRunner(
  answer: (request: ProbeRequest) => ScriptedOutcome | Promise<ScriptedOutcome> = () => 'success',
): ScriptedRunner {
  const requests: ProbeRequest[] = [];
  return {
    requests,
    async run(request, signal) {
      requests.push(request);
      const outcome = await answer(request);
      if (outcome === 'error') throw new ProbeError('unknown', 'scripted error');
      if (outcome === 'hang') {
        return new Promise((_resolve, reject) => onAbort(signal, reject));
      }
      return typeof outcome === 'string' ? { result: outcome, output: `scripted ${outcome}` } : outcome;
    },
  };
}
