import type { UsageModel } from '../stats/usage-model.ts';
import type { Behaviour, BehaviourScript, Phase, ScriptedExecResult, ScriptedResponse } from './script.ts';

/** What one attempt of a container does: its script without the attempts. */
export type Plan = Behaviour;

/** The plan of an attempt: its own fields, and otherwise those of the script. */
export function planAttempt({ attempts = [], ...common }: BehaviourScript, attempt: number): Plan {
  return { ...common, ...attempts[Math.min(attempt, attempts.length - 1)] };
}

/** Whether a plan takes the place of the container's command. */
export function replacesCommand({ runSeconds, exitCode, ignoreSigterm, log }: Plan): boolean {
  return [runSeconds, exitCode, ignoreSigterm, log].some((field) => field !== undefined);
}

/** The phase that holds at a time; `undefined` before the first. */
export function phaseAt<T extends Phase>(phases: readonly T[], elapsedMs: number): T | undefined {
  return phases.findLast(({ afterSeconds = 0 }) => afterSeconds * 1000 <= elapsedMs);
}

/** The result of an exec; `undefined` when the plan has none for this command at this time. */
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

/** The response of a port to a request; `undefined` when it has none for this path at this time. */
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

/** CPU and memory in use over time; `undefined` when the plan says nothing of it. */
export function usageOf(plan: Plan | undefined): UsageModel | undefined {
  return plan?.usage?.map(({ afterSeconds = 0, cpuMillis, memoryBytes }) => ({
    afterMs: afterSeconds * 1000,
    cpuMillis,
    memoryBytes: BigInt(memoryBytes),
  }));
}
