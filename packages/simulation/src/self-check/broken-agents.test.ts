import { describe, expect, it } from 'vitest';
import { BROKEN_AGENTS } from './broken-agents.ts';
import { catchBrokenAgent } from './catch-broken-agent.ts';

/** Defects that one seed exposes; `npm run simulate -- --self-check` runs all of them. */
const obvious = BROKEN_AGENTS.filter(({ seeds }) => seeds === 1);

describe('the self-check', () => {
  it.each(obvious)('catches an agent that $name', async (broken) => {
    expect(await catchBrokenAgent(broken, 1)).toMatchObject({ seeds: 1 });
  });

  it('does not catch an agent without a defect', async () => {
    const sound = { name: 'is sound', seeds: 2, properties: ['no-leaks', 'converges'], assembly: () => ({}) };
    expect(await catchBrokenAgent(sound, 1)).toBeUndefined();
  });

  it('has agents with a defect of its own each', () => {
    expect(new Set(BROKEN_AGENTS.map(({ name }) => name)).size).toBe(BROKEN_AGENTS.length);
  });
});
