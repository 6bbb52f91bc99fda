import type { Stage, Step } from './step.ts';

/** A step that has ended. */
export interface StepResult {
  readonly exitCode: number;
  readonly seconds: number;
  /** Everything that the step printed. */
  readonly log: string;
}

export interface RunStagesPorts {
  /** Runs a step to its end. An abort ends its processes. */
  run(step: Step, signal: AbortSignal): Promise<StepResult>;
  print(text: string): void;
}

/**
 * Runs the stages one after the other and prints the whole log of each step when it ends. The first failure aborts the other steps, and is named at the end, as are
 * failures of advisory steps, which abort nothing. Returns whether all other steps passed.
 */
export async function runStages(
  stages: readonly Stage[],
  { run, print }: RunStagesPorts,
  cancelled: AbortSignal,
): Promise<boolean> {
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, cancelled]);
  let failed: string | undefined;
  const findings: string[] = [];
  const runLane = async (lane: readonly Step[]): Promise<void> => {
    for (const step of lane) {
      if (signal.aborted) return;
      print(`-- ${step.name} started\n`);
      const { exitCode, seconds, log } = await run(step, signal);
      const stopped = signal.aborted;
      const outcome = stopped ? ', stopped' : exitCode === 0 ? '' : `, failed with exit code ${String(exitCode)}`;
      const end = log === '' || log.endsWith('\n') ? '' : '\n';
      print(`\n== ${step.name} (${seconds.toFixed(0)} s${outcome})\n${log}${end}`);
      if (stopped || exitCode === 0) continue;
      if (step.isAdvisory === true) {
        findings.push(step.name);
        continue;
      }
      failed = step.name;
      failure.abort();
    }
  };
  for (const stage of stages) await Promise.all(stage.map(runLane));
  for (const name of findings) print(`\nfound defects, see its log: ${name}\n`);
  if (failed !== undefined) print(`\nfailed: ${failed}\n`);
  return !signal.aborted;
}
