import { ProbeError, type ProbeOutcome, type ProbeRequest, type ProbeRunner } from './probe-runner.ts';

/**
 * What a scripted run does: an outcome, or its result alone; `error`: it comes to no result; `hang`: it lasts until its signal ends it, as no runner should.
 */
export type ScriptedOutcome = ProbeOutcome | ProbeOutcome['result'] | 'error' | 'hang';

/** A {@link ProbeRunner} that reaches nothing and answers by script. */
export interface ScriptedRunner extends ProbeRunner {
  /** All runs so far, in order. */
  readonly requests: readonly ProbeRequest[];
}

/** Creates a {@link ScriptedRunner}. `answer` is asked for each run; a promise makes it last. */
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
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      }
      return typeof outcome === 'string' ? { result: outcome, output: `scripted ${outcome}` } : outcome;
    },
  };
}
