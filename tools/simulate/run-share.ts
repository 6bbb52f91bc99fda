import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import {
  compareRuns,
  createReachedCounter,
  reachableStates,
  describeFailure,
  generatePlan,
  htmlReport,
  type Plan,
  type RunResult,
  runPlan,
  shrink,
  textTimeline,
} from '@rxlet/simulation';
import type { Arguments } from './command-line.ts';
import { progressIn } from './progress.ts';

/** Runs that are spent on the smallest plan of a failure. */
const SHRINK_RUNS = 120;

/** Work that threads share. */
export interface Share {
  readonly options: Arguments;
  readonly commit: string;
  readonly firstSeed: number;
  /** Wall time at which no more seeds begin, in milliseconds since the epoch. */
  readonly untilMs: number;
  /** Memory of the progress, see progress.ts. */
  readonly progress: SharedArrayBuffer;
}

/** Sums over runs. */
export interface Totals {
  readonly virtualMs: number;
  /** Number of runs that reached each state. */
  readonly reached: ReadonlyMap<string, number>;
}

/** Runs seeds until none is left, with other threads or alone. */
export async function runShare({ options, commit, firstSeed, untilMs, progress: memory }: Share): Promise<Totals> {
  const { seeds, workloads, keepsGoing } = options;
  const progress = progressIn(memory);
  const reached = createReachedCounter(reachableStates(workloads));
  let virtualMs = 0;
  while (systemClock.now() < untilMs) {
    const place = progress.begin();
    if (place === undefined || place >= seeds) break;
    const seed = firstSeed + place;
    const workload = workloads[seed % workloads.length]!;
    const result = await runOne(generatePlan(seed, { workload }), options, commit);
    virtualMs += result.virtualMs;
    reached.add(result.history);
    const hasFailed = result.violations.length > 0;
    progress.ended(hasFailed);
    if (hasFailed && !keepsGoing) progress.stop();
  }
  return { virtualMs, reached: reached.runs };
}

/** Runs a plan, and reports what fails. */
export async function runOne(plan: Plan, options: Arguments, commit: string): Promise<RunResult> {
  const run = (one: Plan): Promise<RunResult> =>
    options.compares ? compareRuns(one, (each) => runPlan(each)) : runPlan(one);
  const result = await run(plan);
  if (options.hasTimeline) write(textTimeline(result).join('\n'));
  if (result.violations.length === 0) return result;
  const small = options.shrinks ? await shrink(result, run, { maxRuns: SHRINK_RUNS }) : result;
  const context = { commit, original: result };
  const description = describeFailure(small, context);
  // In one piece, since other threads write as well.
  write(description.join('\n'));
  if (options.outFolder !== undefined) {
    mkdirSync(options.outFolder, { recursive: true });
    const base = join(options.outFolder, `${plan.world.workload}-${String(plan.seed)}`);
    writeFileSync(`${base}.json`, `${JSON.stringify(small.plan, null, 2)}\n`);
    writeFileSync(`${base}.txt`, `${[...description, '', ...textTimeline(small)].join('\n')}\n`);
    writeFileSync(`${base}.html`, htmlReport(small, context));
    write(`reports: ${base}.json, .txt and .html`);
  }
  return result;
}

/** Writes lines to standard output. */
export function write(text: string): void {
  process.stdout.write(`${text}\n`);
}
