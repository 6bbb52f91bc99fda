import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Workload, WORKLOADS } from '@rxlet/simulation';

export const USAGE = `usage: npm run simulate -- [FLAGS]
  --seed N           first seed (default: taken from the clock, and printed)
  --seeds COUNT      number of seeds (default: 1 with --seed, else 100)
  --seconds COUNT    runs seeds for so long instead
  --jobs COUNT       seeds that run at the same time, each on a core (default: one for each core)
  --workload NAME    ${WORKLOADS.join(' or ')}; repeat it for several, which take turns (default: standard)
  --compare          runs each seed again without restarts of the agent: both must come to rest in the same state
  --timeline         prints the timeline of each run
  --out FOLDER       writes a report of each failure: the plan, a timeline as text and as a page
  --plan FILE        runs the plan of a report
  --no-shrink        reports failures with their whole workload
  --keep-going       continues after a failure
  --self-check       runs agents with deliberate defects, each of which must be caught
  --require-reached  fails when a listed state is not reached
`;

/** Arguments of the command. */
export interface Arguments {
  readonly firstSeed: number | undefined;
  readonly seeds: number;
  readonly limitMs: number;
  /** Number of threads. */
  readonly jobs: number;
  readonly workloads: readonly Workload[];
  /** Whether each run is compared with one without restarts of the agent. */
  readonly compares: boolean;
  readonly hasTimeline: boolean;
  readonly outFolder: string | undefined;
  readonly planFile: string | undefined;
  readonly shrinks: boolean;
  readonly keepsGoing: boolean;
  readonly isSelfCheck: boolean;
  readonly requiresReached: boolean;
}

/** Parses the arguments. @throws Error for a wrong one */
export function parseCommandLine(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      seconds: { type: 'string' },
      jobs: { type: 'string' },
      workload: { type: 'string', multiple: true },
      compare: { type: 'boolean', default: false },
      timeline: { type: 'boolean', default: false },
      out: { type: 'string' },
      plan: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      'keep-going': { type: 'boolean', default: false },
      'self-check': { type: 'boolean', default: false },
      'require-reached': { type: 'boolean', default: false },
    },
  });
  const seconds = readCount('seconds', values.seconds);
  const firstSeed = readCount('seed', values.seed);
  const count = readCount('seeds', values.seeds) ?? (firstSeed === undefined ? 100 : 1);
  return {
    firstSeed,
    seeds: seconds === undefined ? count : Infinity,
    limitMs: seconds === undefined ? Infinity : seconds * 1000,
    jobs: Math.max(
      1,
      Math.min(readCount('jobs', values.jobs) ?? availableParallelism(), seconds === undefined ? count : Infinity),
    ),
    workloads: (values.workload ?? ['standard']).map(readWorkload),
    compares: values.compare,
    hasTimeline: values.timeline,
    outFolder: values.out,
    planFile: values.plan,
    shrinks: !values['no-shrink'],
    keepsGoing: values['keep-going'],
    isSelfCheck: values['self-check'],
    requiresReached: values['require-reached'],
  };
}

function readCount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${flag} is ${JSON.stringify(text)}, must be a whole number`);
  return value;
}

function readWorkload(name: string): Workload {
  const found = WORKLOADS.find((workload) => workload === name);
  if (found === undefined)
    throw new Error(`--workload is ${JSON.stringify(name)}, must be one of ${WORKLOADS.join(', ')}`);
  return found;
}
