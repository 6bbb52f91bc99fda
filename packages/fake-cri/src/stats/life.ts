import type { Container } from '../runtime-objects.ts';

/** Returns the running time of a container in milliseconds. It is computed from wall time, which survives a restart of the runtime. */
export function lifeMs({ status: { startedAt, finishedAt } }: Container, now: bigint): number {
  if (startedAt === 0n) return 0;
  const end = finishedAt === 0n ? now : finishedAt;
  return end > startedAt ? Number(end - startedAt) / 1e6 : 0;
}
