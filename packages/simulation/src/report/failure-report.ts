import { describeLastingFault } from '../faults/lasting-faults.ts';
import type { RunResult } from '../run/run-plan.ts';
import { describeStep } from '../workload/step.ts';
import { describeEvent } from './describe-event.ts';

/** Facts of a report besides the run. */
export interface ReportContext {
  /** Commit of the simulated agent. */
  readonly commit: string;
  /** The run before its plan was shrunk. */
  readonly original: RunResult;
}

const MAX_LISTED = 20;

/** Returns the head of a report: the seed with the commit, the violations, and the plan as far as it is needed. */
export function describeFailure(
  { plan, violations }: RunResult,
  { commit, original }: ReportContext,
): readonly string[] {
  const { workload, ...world } = plan.world;
  const { nodeNames } = plan;
  const more = violations.length - MAX_LISTED;
  return [
    `seed ${String(plan.seed)} of the workload ${workload} at ${commit}`,
    `repeat with: npm run simulate -- --workload ${workload} --seed ${String(plan.seed)} --timeline`,
    ...violations.slice(0, MAX_LISTED).map(({ property, atMs, text }) => `${formatTime(atMs)} ${property}: ${text}`),
    ...(more > 0 ? [`and ${String(more)} more`] : []),
    `world: ${Object.entries(world)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' ')}`,
    ...(nodeNames === undefined ? [] : [`nodes: ${nodeNames.join(', ')}`]),
    `kinds of faults: ${plan.faults.join(', ') || 'none'}`,
    ...(plan.lasting === undefined
      ? []
      : [
          `permanent fault${plan.lastingNode === undefined ? '' : ` of ${plan.lastingNode}`}: ${describeLastingFault(plan.lasting)}`,
        ]),
    `steps: ${String(plan.steps.length)} of ${String(original.plan.steps.length)}`,
    ...plan.steps.map(
      ({ atMs, node, step }) => `  ${formatTime(atMs)} ${node === undefined ? '' : `${node} `}${describeStep(step)}`,
    ),
  ];
}

/** Returns the timeline of a run as text, with the violations in their places. */
export function textTimeline({ history, violations }: RunResult): readonly string[] {
  const lines = history.map((event) => {
    const { group, text, uid } = describeEvent(event);
    return {
      atMs: event.atMs,
      line: `${formatTime(event.atMs)} ${event.node === undefined ? '' : `${event.node} `}${group.padEnd(7)} ${uid === undefined ? '' : `${uid} `}${text}`,
    };
  });
  const marks = violations.map(({ atMs, property, text }) => ({
    atMs,
    line: `${formatTime(atMs)} FAILED  ${property}: ${text}`,
  }));
  return [...lines, ...marks].toSorted((a, b) => a.atMs - b.atMs).map(({ line }) => line);
}

/** Returns a time as minutes, seconds and milliseconds. */
export function formatTime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${String(minutes).padStart(2, '0')}:${((ms % 60_000) / 1000).toFixed(3).padStart(6, '0')}`;
}
