import type { Finding } from '../check/check-machine.ts';
import { painted, type Tone } from './colors.ts';
import { printable } from './printable.ts';

const TONES: Readonly<Record<Finding['level'], Tone>> = { ok: 'good', warning: 'busy', error: 'bad' };
const LEVEL_WIDTH = 'warning'.length;

/** Returns findings as lines, each with the way out below. */
export function findingLines(findings: readonly Finding[], colors: boolean): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings.flatMap(({ check, level, message, help }) => {
    const padded = level.padEnd(LEVEL_WIDTH);
    const head = `${colors ? painted(padded, TONES[level]) : padded}  ${check.padEnd(width)}  `;
    const indent = ' '.repeat(LEVEL_WIDTH + 2 + width + 2);
    return [`${head}${printable(message)}`, ...(help === undefined ? [] : [`${indent}→ ${printable(help)}`])];
  });
}

/** Returns the line that sums up findings. */
export function findingSummary(findings: readonly Finding[]): string {
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const numbers = `${String(errors)} ${errors === 1 ? 'error' : 'errors'}, ${String(warnings)} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return errors === 0
    ? `This machine is fit to be a node (${numbers}).`
    : `This machine is not fit to be a node yet (${numbers}).`;
}
