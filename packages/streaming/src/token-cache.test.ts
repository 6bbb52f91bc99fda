import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createTokenCache, MAX_TOKENS, TOKEN_TTL_MS } from './token-cache.ts';

describe('a token', () => {
  it('works once', () => {
    const tokens = createTokenCache<string>(createVirtualClock(), seededRandom(1));
    const token = tokens.insert('a');
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(tokens.consume('other')).toBeUndefined();
    expect(tokens.consume(token)).toBe('a');
    expect(tokens.consume(token)).toBeUndefined();
  });

  it('is valid for a minute', async () => {
    const clock = createVirtualClock();
    const tokens = createTokenCache<string>(clock, seededRandom(1));
    const [early, late] = [tokens.insert('early'), tokens.insert('late')];
    await clock.advance(TOKEN_TTL_MS - 1);
    expect(tokens.consume(early)).toBe('early');
    await clock.advance(1);
    expect(tokens.consume(late)).toBeUndefined();
  });

  it('is rejected while a thousand are pending, and issued again when they were used or expired', async () => {
    const clock = createVirtualClock();
    const tokens = createTokenCache<number>(clock, seededRandom(1));
    const first = tokens.insert(0);
    for (let index = 1; index < MAX_TOKENS; index += 1) tokens.insert(index);
    const exhausted = expect.objectContaining({ code: StatusCode.ResourceExhausted }) as Error;
    expect(() => tokens.insert(-1)).toThrow(exhausted);
    tokens.consume(first);
    tokens.insert(-1);
    expect(() => tokens.insert(-2)).toThrow(exhausted);
    await clock.advance(TOKEN_TTL_MS);
    expect(() => tokens.insert(-2)).not.toThrow();
  });
});
