import type { Container } from '../container.ts';

/** How long a container has run, or ran, in milliseconds. It is reckoned by wall time, which outlives a restart of the runtime. */
export function lifeMs({ status: { startedAt, finishedAt } }: Container, now: bigint): number {
  if (startedAt === 0n) return 0;
  const end = finishedAt === 0n ? now : finishedAt;
  return end > startedAt ? Number(end - startedAt) / 1e6 : 0;
}
