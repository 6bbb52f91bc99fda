import type { Choices } from './choices.ts';

const MINUTE_MS = 60_000;
/** Duration of the workloads. */
export const DURATION_MS: number = 10 * MINUTE_MS;

/** Returns times: anywhere, or close to each other, as failures often come. */
export function times(choose: Choices, most: number): readonly number[] {
  const count = choose.integer(1, most);
  const centreMs = choose.integer(0, DURATION_MS - MINUTE_MS);
  const widthMs = choose.pick([1_000, 30_000, DURATION_MS]);
  return Array.from({ length: count }, () =>
    widthMs === DURATION_MS ? choose.integer(0, DURATION_MS) : centreMs + choose.integer(0, widthMs),
  );
}
