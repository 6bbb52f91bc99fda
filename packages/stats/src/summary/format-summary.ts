import { toRfc3339 } from '@rxlet/component-base';
import type { Summary } from './summary-types.ts';

const TIMES: ReadonlySet<string> = new Set(['time', 'startTime']);

/**
 * Formats a summary as the kubelet does: indented by one blank, with times in whole seconds. No amount is negative: clients read them as unsigned numbers, and would not
 * read the rest of the summary either.
 */
export function formatSummary(summary: Summary): string {
  return JSON.stringify(summary, formatValue, 1);
}

function formatValue(key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (!TIMES.has(key)) return Math.max(0, value);
  return value === 0 ? null : toRfc3339(value);
}
