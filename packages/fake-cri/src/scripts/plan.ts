import type { UsageModel } from '../stats/usage-model.ts';
import type { Behaviour, BehaviourScript, Phase, ScriptedExecResult, ScriptedResponse } from './script.ts';

/** Behaviour of one attempt of a container: its script without the attempts. */
export type Plan = Behaviour;

/** Returns the plan of an attempt: its own fields, and otherwise those of the script. */
export function planAttempt({ attempts = [], ...common }: BehaviourScript, attempt: number): Plan {
  return { ...common, ...attempts[Math.min(attempt, attempts.length - 1)] };
}

/** Reports whether a plan replaces the container's command. */
export function replacesCommand({ runSeconds, exitCode, ignoreSigterm, log }: Plan): boolean {
  return [runSeconds, exitCode, ignoreSigterm, log].some((field) => field !== undefined);
}

/** Returns the phase at a time; `undefined` before the first. */
export function phaseAt<T extends Phase>(phases: readonly T[], elapsedMs: number): T | undefined {
  return phases.findLast(({ afterSeconds = 0 }) => afterSeconds * 1000 <= elapsedMs);
}

/** Returns the result of an exec; `undefined` when the plan has none for this command at this time. */
export function execResultAt(
  plan: Plan,
  command: readonly string[],
  elapsedMs: number,
): ScriptedExecResult | undefined {
  const exec = plan.exec?.find(
    (each) => each.command.length === command.length && each.command.every((word, index) => word === command[index]),
  );
  return exec === undefined ? undefined : phaseAt(exec.results, elapsedMs);
}

/** Returns the response of a port to a request; `undefined` when it has none for this path at this time. */
export function responseAt(
  responses: readonly ScriptedResponse[],
  path: string | undefined,
  elapsedMs: number,
): ScriptedResponse | undefined {
  const [wanted] = (path ?? '').split('?');
  return phaseAt(
    responses.filter((response) => response.path === undefined || path === undefined || response.path === wanted),
    elapsedMs,
  );
}

/** Returns the CPU and memory usage over time; `undefined` when the plan has none. */
export function usageOf(plan: Plan | undefined): UsageModel | undefined {
  return plan?.usage?.map(({ afterSeconds = 0, cpuMillis, memoryBytes }) => ({
    afterMs: afterSeconds * 1000,
    cpuMillis,
    memoryBytes: BigInt(memoryBytes),
  }));
}
