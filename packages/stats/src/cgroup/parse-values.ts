import type { PsiData, PsiStats } from '../summary/summary-types.ts';

/** Limits above this are none: the kernel rounds the largest number down to whole pages. */
const UNLIMITED = 2 ** 62;

/** Parses a number of a kernel file; `undefined` for any other text. */
export function parseNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Parses a limit; `undefined` for none. */
export function parseLimit(text: string | undefined): number | undefined {
  const limit = parseNumber(text);
  return limit === undefined || limit < 0 || limit > UNLIMITED ? undefined : limit;
}

/** Parses lines of a name and a number, such as `memory.stat`. */
export function parseKeyedNumbers(text: string | undefined): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of (text ?? '').split('\n')) {
    const blank = line.indexOf(' ');
    if (blank > 0) values.set(line.slice(0, blank), Number(line.slice(blank + 1)));
  }
  return values;
}

const NO_PRESSURE: PsiData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

/** Parses a file of pressure stall information; `undefined` when the kernel has none. */
export function parsePressure(text: string | undefined): PsiStats | undefined {
  if (text === undefined) return undefined;
  const lines = new Map(text.split('\n').map((line) => [line.split(' ', 1)[0], pressureOf(line)] as const));
  const [some, full] = [lines.get('some'), lines.get('full')];
  // Kernels before 5.13 have no full pressure of the CPU.
  return some === undefined && full === undefined
    ? undefined
    : { full: full ?? NO_PRESSURE, some: some ?? NO_PRESSURE };
}

function pressureOf(line: string): PsiData {
  const valueOf = (name: string): number => Number(new RegExp(` ${name}=([\\d.]+)`).exec(line)?.[1] ?? 0);
  return { total: valueOf('total'), avg10: valueOf('avg10'), avg60: valueOf('avg60'), avg300: valueOf('avg300') };
}
