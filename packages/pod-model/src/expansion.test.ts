import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandVariables } from './expansion.ts';

const lookup = (name: string): string | undefined => ({ A: '1', REF: '$(A)', EMPTY: '' })[name];

describe('expandVariables', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['$(A)', '1'],
    ['a$(A)b$(A)', 'a1b1'],
    ['$(EMPTY)', ''],
    ['$(UNKNOWN) $()', '$(UNKNOWN) $()'],
    ['$$(A) $$$(A) $$$$', '$(A) $1 $$'],
    ['$(A $$ $$(', '$(A $ $('],
    ['$A $ $', '$A $ $'],
  ])('%j becomes %j', (text, want) => {
    expect(expandVariables(text, lookup)).toBe(want);
  });

  it('does not expand values', () => {
    expect(expandVariables('$(REF)', lookup)).toBe('$(A)');
  });

  it('restores any text whose dollars are doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'é', ' ') }), (text) => {
        expect(expandVariables(text.replaceAll('$', '$$$$'), lookup)).toBe(text);
      }),
      { seed: 1 },
    );
  });

  it('takes time linear in the references that are not closed: authors of pods write them', () => {
    const text = '$('.repeat(4_000_000);
    expect(expandVariables(text, lookup)).toBe(text);
  });

  it('rejects a result that no runtime takes', () => {
    const value = 'x'.repeat(1024 * 1024);
    expect(expandVariables('$(A)'.repeat(16), () => value)).toHaveLength(16 * 1024 * 1024);
    expect(() => expandVariables('$(A)'.repeat(17), () => value)).toThrow(
      new RangeError('the text has more than 16777216 characters with its variables expanded'),
    );
  });
});
