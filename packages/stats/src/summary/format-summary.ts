import { toRfc3339 } from '@rxlet/component-base';
import type { Summary } from './summary-types.ts';

const TIMES: ReadonlySet<string> = new Set(['time', 'startTime']);

/** Formats a summary as the kubelet does: indented by one blank, with times in whole seconds. */
export function formatSummary(summary: Summary): string {
  return JSON.stringify(summary, timesAsText, 1);
}

function timesAsText(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || !TIMES.has(key)) return value;
  return value === 0 ? null : toRfc3339(value);
}
