/** Simulates agents in storms of faults (`npm run simulate`), and reports failures with what replays them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Plan } from '@rxlet/simulation';
import { systemClock } from '@rxlet/component-base';
import { BROKEN_AGENTS, catchBrokenAgent } from '@rxlet/simulation/self-check';
import { interval } from 'rxjs';
import { type Arguments, parseCommandLine, USAGE } from './command-line.ts';
import { createProgressMemory, type Progress, progressIn } from './progress.ts';
import { runOne, type Share, write } from './run-share.ts';
import { runTogether } from './run-together.ts';

/** Number of runs from which on reached states are listed. */
const RUNS_OF_STATES = 100;
const PROGRESS_PERIOD_MS = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

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
    const { violations } = await runOne(plan, { ...options, shrinks: false }, commit);
    if (violations.length === 0) console.log(`the plan of seed ${String(plan.seed)} passes at ${commit}`);
    return violations.length > 0 ? 1 : 0;
  }
  return options.isSelfCheck ? selfCheck(options.firstSeed ?? 1) : runSeeds(options, commit);
}

async function runSeeds(options: Arguments, commit: string): Promise<number> {
  const { limitMs, workloads, requiresReached } = options;
  const firstSeed = options.firstSeed ?? freshSeed(systemClock.now());
  const startMs = systemClock.now();
  const memory = createProgressMemory();
  const progress = progressIn(memory);
  const share: Share = { options, commit, firstSeed, untilMs: startMs + limitMs, progress: memory };
  using _report = reportProgress(progress, startMs);
  const { virtualMs, reached } = await runTogether(share, options.jobs);
  const { runs, failures } = progress;
  const seconds = secondsSince(startMs);
  const range = `${String(firstSeed)} to ${String(firstSeed + runs - 1)}`;
  write(`${String(runs)} seeds (${range}) of ${workloads.join(' and ')} at ${commit}: ${String(failures)} failed`);
  const hoursPerMinute = virtualMs / 3_600_000 / (seconds / 60);
  write(
    `${(runs / seconds).toFixed(1)} seeds a second, ${hoursPerMinute.toFixed(0)} simulated hours a minute, ${seconds.toFixed(0)} s on ${String(options.jobs)} threads`,
  );
  // A few runs say nothing about rare states.
  if (runs < RUNS_OF_STATES && !requiresReached) return failures > 0 ? 1 : 0;
  for (const [name, count] of reached) write(`  reached by ${String(count).padStart(6)} runs: ${name}`);
  const missing = [...reached].filter(([, count]) => count === 0).map(([name]) => name);
  if (missing.length > 0) write(`never reached: ${missing.join('; ')}`);
  return failures > 0 || (requiresReached && missing.length > 0) ? 1 : 0;
}

/** Prints the progress every minute. The first signal to end lets the seeds that run finish, so that the totals are printed. */
function reportProgress(progress: Progress, startMs: number): Disposable {
  const print = (): void => {
    const { runs, failures } = progress;
    const perSecond = (runs / secondsSince(startMs)).toFixed(1);
    process.stderr.write(`${String(runs)} seeds so far, ${String(failures)} failed, ${perSecond} a second\n`);
  };
  const subscription = interval(PROGRESS_PERIOD_MS, systemClock.scheduler).subscribe(print);
  for (const signal of SIGNALS) process.once(signal, progress.stop);
  return {
    [Symbol.dispose]() {
      subscription.unsubscribe();
      for (const signal of SIGNALS) process.off(signal, progress.stop);
    },
  };
}

function secondsSince(startMs: number): number {
  return (systemClock.now() - startMs) / 1000;
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

function commitOfWorkTree(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'an unknown commit';
  }
}
