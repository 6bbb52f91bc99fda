import { noopLogger } from '@rxlet/component-base';
import { recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { applyOwnOomScoreAdj, DEFAULT_OOM_SCORE_ADJ } from './oom-score-adj.ts';

describe('applyOwnOomScoreAdj', () => {
  it('writes the score of the own process', async () => {
    const written: string[][] = [];
    await applyOwnOomScoreAdj(DEFAULT_OOM_SCORE_ADJ, noopLogger, async (...call) => void written.push(call));
    expect(written).toEqual([['/proc/self/oom_score_adj', '-999\n']]);
  });

  it('logs that it may not', async () => {
    const logger = recordingLogger();
    await applyOwnOomScoreAdj(-999, logger, () => Promise.reject(new Error('EACCES: permission denied')));
    expect(logger.lines).toMatchObject([
      { level: 'info', fields: { oomScoreAdj: -999, error: 'EACCES: permission denied' } },
    ]);
  });
});
