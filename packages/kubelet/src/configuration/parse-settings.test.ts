import { numberSetting, switchSetting, textSetting } from '@rxlet/agent-api/configuration';
import { describe, expect, it } from 'vitest';
import { parseSettings } from './parse-settings.ts';

const dryRun = switchSetting('dryRun', 'change nothing');
const quotaFile = textSetting('quotaFile', 'file', 'limits of namespaces');
const maxShare = numberSetting('maxShare', 'percent', 'largest share of a namespace');
const parse = (...args: string[]) => {
  const { settings, rest } = parseSettings(args, [dryRun, quotaFile, maxShare]);
  return [settings.get(dryRun), settings.get(quotaFile), settings.get(maxShare), rest];
};

describe('parseSettings', () => {
  it('reads flags with and without values, and leaves the others', () => {
    expect(parse()).toEqual([false, undefined, undefined, []]);
    expect(parse('--max-pods', '3', '--dry-run', '--quota-file', '/q', '--max-share=40')).toEqual([
      true,
      '/q',
      40,
      ['--max-pods', '3'],
    ]);
  });

  it('takes the last value', () => {
    expect(parse('--dry-run', '--dry-run=false', '--max-share=1', '--max-share', '2')).toEqual([
      false,
      undefined,
      2,
      [],
    ]);
  });

  it.each([
    [['--quota-file'], 'flag needs an argument: --quota-file'],
    [['--max-share=-1'], 'invalid value "-1" of flag --max-share: it must be a whole number'],
    [['--dry-run=perhaps'], 'invalid value "perhaps" of flag --dry-run: it must be true or false'],
  ])('rejects %j', (args, problem) => {
    expect(() => parse(...args)).toThrow(problem);
  });
});
