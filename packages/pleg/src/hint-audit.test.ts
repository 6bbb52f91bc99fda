import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { CHANGES_TO_TRUST, createHintAudit } from './hint-audit.ts';

type Step = number | `${'hint' | 'change'} ${'started' | 'stopped'} ${string}`;

/** Runs steps (`hint started a`, `change stopped a`, or a pause in milliseconds) and returns whether a change was missed. */
async function hasMissed(...steps: readonly Step[]): Promise<boolean> {
  const clock = createVirtualClock();
  const audit = createHintAudit(clock);
  for (const step of steps) {
    if (typeof step === 'number') await clock.advance(step);
    else {
      const [what, kind, containerId = ''] = step.split(' ');
      audit[what === 'hint' ? 'announced' : 'found']({ containerId, kind: kind as 'started' | 'stopped' });
    }
  }
  return audit.hasMissed();
}

describe('the audit of hints', () => {
  it.each<[string, boolean, readonly Step[]]>([
    ['no change as missed before its hint is late', false, ['change started a', 5_000]],
    ['a change without a hint as missed', true, ['change started a', 5_001]],
    ['a change with a late hint as missed', true, ['change started a', 5_001, 'hint started a']],
    ['a change with a hint soon after it as announced', false, ['change started a', 5_000, 'hint started a', 60_000]],
    ['a change with a hint before it as announced', false, ['hint started a', 10_000, 'change started a', 60_000]],
    ['a change with an outdated hint as missed', true, ['hint started a', 10_001, 'change started a', 5_001]],
    ['the hint of another container as none', true, ['hint started b', 'change started a', 5_001]],
    ['the hint of another change as none', true, ['hint stopped a', 'change started a', 5_001]],
    ['a hint only once', true, ['hint started a', 'change started a', 'change started a', 5_001]],
    [
      'a repeated hint from its last time',
      false,
      ['hint started a', 9_000, 'hint started a', 9_000, 'change started a', 60_000],
    ],
    [
      'a hint as outdated that is older than a repeated one',
      true,
      ['hint started a', 'hint started b', 9_000, 'hint started a', 2_000, 'change started b', 5_001],
    ],
    ['each change by itself', true, ['change started a', 3_000, 'change started b', 'hint started b', 2_001]],
  ])('counts %s', async (_title, missed, steps) => {
    expect(await hasMissed(...steps)).toBe(missed);
  });

  it('proves a source by changes that were announced in a row, before or after they were found', async () => {
    const clock = createVirtualClock();
    const audit = createHintAudit(clock);
    const change = (containerId: string) => ({ containerId, kind: 'stopped' }) as const;
    const announce = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const one = change(`c${String(index)}`);
        if (index % 2 === 0) audit.announced(one);
        audit.found(one);
        if (index % 2 === 1) audit.announced(one);
      }
    };
    announce(CHANGES_TO_TRUST - 1);
    expect(audit.isProven()).toBe(false);
    announce(1);
    expect(audit.isProven()).toBe(true);
    expect(audit.hasMissed()).toBe(false);

    audit.found(change('missed'));
    expect(audit.isProven()).toBe(true);
    await clock.advance(5_001);
    expect(audit.isProven()).toBe(false);
    announce(CHANGES_TO_TRUST);
    expect(audit.isProven()).toBe(true);
    expect(audit.hasMissed()).toBe(true);
  });
});
