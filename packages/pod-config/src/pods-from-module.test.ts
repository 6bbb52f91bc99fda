import { podSources } from '@rxlet/agent-api/sources';
import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { createManualSource } from './manual-source.ts';
import { podsFrom } from './pods-from-module.ts';

describe('podsFrom', () => {
  it('contributes a source, named after it, and disposes of it', async () => {
    const manual = createManualSource('embedded');
    const module = podsFrom(manual);
    expect(module.name).toBe('pods-from-embedded');
    const parts = module.setup(createModuleContext())!;
    expect(contributionsTo(parts, podSources)).toEqual([manual]);
    let isComplete = false;
    manual.problems$.subscribe({ complete: () => (isComplete = true) });
    await parts[Symbol.asyncDispose]!();
    expect(isComplete).toBe(true);
  });
});
