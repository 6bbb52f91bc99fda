/** Simulates agents in storms of faults (`npm run simulate`), and reports failures with what replays them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compareRuns,
  createReachedCounter,
  describeFailure,
  generatePlan,
  htmlReport,
  type Plan,
  type RunResult,
  runPlan,
  shrink,
  textTimeline,
} from '@rxlet/simulation';
import { systemClock } from '@rxlet/component-base';
import { BROKEN_AGENTS, catchBrokenAgent } from '@rxlet/simulation/self-check';
import { type Arguments, parseCommandLine, USAGE } from './command-line.ts';

/** Number of runs from which on reached states are listed. */
const RUNS_OF_STATES = 100;

/** Runs that are spent on the smallest plan of a failure. */
const SHRINK_RUNS = 120;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Arguments;
  try {
    options = parseCommandLine(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const commit = commitOfWorkTree();
  if (options.planFile !== undefined) {
    const plan = JSON.parse(readFileSync(options.planFile, 'utf8')) as Plan;
    return (await runOne(plan, { ...options, shrinks: false }, commit)).violations.length > 0 ? 1 : 0;
  }
  return options.isSelfCheck ? selfCheck(options.firstSeed ?? 1) : runSeeds(options, commit);
}

async function runSeeds(options: Arguments, commit: string): Promise<number> {
  const { seeds, limitMs, workloads, keepsGoing, requiresReached } = options;
  const firstSeed = options.firstSeed ?? freshSeed(systemClock.now());
  const reached = createReachedCounter();
  const startMs = systemClock.monotonicNow();
  let [runs, virtualMs, failures] = [0, 0, 0];
  for (; runs < seeds && systemClock.monotonicNow() - startMs < limitMs; runs += 1) {
    const seed = firstSeed + runs;
    const workload = workloads[seed % workloads.length]!;
    const result = await runOne(generatePlan(seed, { workload }), options, commit);
    virtualMs += result.virtualMs;
    reached.add(result.history);
    if (result.violations.length === 0) continue;
    failures += 1;
    if (!keepsGoing) {
      runs += 1;
      break;
    }
  }
  const seconds = (systemClock.monotonicNow() - startMs) / 1000;
  const range = `${String(firstSeed)} to ${String(firstSeed + runs - 1)}`;
  write(`${String(runs)} seeds (${range}) of ${workloads.join(' and ')} at ${commit}: ${String(failures)} failed`);
  const hoursPerMinute = virtualMs / 3_600_000 / (seconds / 60);
  write(
    `${(runs / seconds).toFixed(1)} seeds a second, ${hoursPerMinute.toFixed(0)} simulated hours a minute, ${seconds.toFixed(0)} s`,
  );
  // A few runs say nothing about rare states.
  if (runs < RUNS_OF_STATES && !requiresReached) return failures > 0 ? 1 : 0;
  for (const [name, count] of reached.runs) write(`  reached by ${String(count).padStart(6)} runs: ${name}`);
  const missing = reached.missing();
  if (missing.length > 0) write(`never reached: ${missing.join('; ')}`);
  return failures > 0 || (requiresReached && missing.length > 0) ? 1 : 0;
}

/** Runs agents with deliberate defects. */
async function selfCheck(firstSeed: number): Promise<number> {
  let missed = 0;
  for (const broken of BROKEN_AGENTS) {
    const caught = await catchBrokenAgent(broken, firstSeed);
    if (caught === undefined) missed += 1;
    const result =
      caught === undefined
        ? 'is NOT caught'
        : `is caught by seed ${String(caught.seeds)} of ${String(broken.seeds)} (${caught.property})`;
    write(`an agent that ${broken.name} ${result}`);
  }
  write(
    `${String(BROKEN_AGENTS.length - missed)} of ${String(BROKEN_AGENTS.length)} defects are caught, from seed ${String(firstSeed)} on`,
  );
  return missed > 0 ? 1 : 0;
}

/** Returns a seed that no earlier run has used, unless it ran more than 64 seeds a second. */
function freshSeed(nowMs: number): number {
  return (Math.floor(nowMs / 1000) * 64) % 2 ** 32;
}

/** Runs a plan, and reports what fails. */
async function runOne(plan: Plan, options: Arguments, commit: string): Promise<RunResult> {
  const run = (one: Plan): Promise<RunResult> =>
    options.compares ? compareRuns(one, (each) => runPlan(each)) : runPlan(one);
  const result = await run(plan);
  if (options.hasTimeline) for (const line of textTimeline(result)) write(line);
  if (result.violations.length === 0) return result;
  const small = options.shrinks ? await shrink(result, run, { maxRuns: SHRINK_RUNS }) : result;
  const context = { commit, original: result };
  const description = describeFailure(small, context);
  for (const line of description) write(line);
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

function commitOfWorkTree(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'an unknown commit';
  }
}
