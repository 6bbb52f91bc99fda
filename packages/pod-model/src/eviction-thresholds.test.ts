import { describe, expect, it } from 'vitest';
import {
  evictionQuantity,
  EvictionValueError,
  parseEvictionReclaim,
  parseEvictionThreshold,
} from './eviction-thresholds.ts';
import { formatQuantity, parseQuantity } from './quantity.ts';

const threshold = (text: string, signal = 'memory.available') => parseEvictionThreshold(signal, text);

describe('parseEvictionThreshold', () => {
  it.each([
    ['10%', 0.1],
    ['+5%', 0.05],
    ['1_0%', 0.1],
    ['5%%', 0.05],
    ['1e1%', 0.1],
    ['.5%', 0.005],
    ['0x1p4%', 0.16],
    ['0.0%', 0],
    ['1e-60%', 0],
    ['NaN%', NaN],
  ])('reads %s as the share %d', (text, share) => {
    expect(threshold(text)?.share).toBe(Math.fround(share));
  });

  it.each(['0%', '100%'])('takes %s for a threshold that is off', (text) => {
    expect(threshold(text)).toBeUndefined();
    expect(() => threshold(text, 'memory')).toThrow(EvictionValueError);
  });

  it.each(['', '%', '0', '-1', '5 %', '-1%', '101%', 'Inf%', '1__0%', '0x10%', '1e39%', '+NaN%', 'much'])(
    'rejects "%s"',
    (text) => {
      expect(() => threshold(text)).toThrow(EvictionValueError);
    },
  );
});

describe('parseEvictionReclaim', () => {
  it.each(['0', '200%', 'Inf%', '1Gi'])('accepts %s', (text) => {
    expect(parseEvictionReclaim('memory.available', text)).toBeDefined();
  });

  it.each(['-1', '0%', '-5%', ''])('rejects "%s"', (text) => {
    expect(() => parseEvictionReclaim('memory.available', text)).toThrow(EvictionValueError);
  });
});

describe('evictionQuantity', () => {
  it.each([
    ['15%', '107374182400', '16106128000'],
    ['50%', '4Gi', '2Gi'],
    ['100Mi', '4Gi', '100Mi'],
    ['NaN%', '4Gi', '-8Ei'],
  ])('makes of %s of %s the amount %s', (text, capacity, amount) => {
    expect(formatQuantity(evictionQuantity(threshold(text)!, parseQuantity(capacity)))).toBe(amount);
  });
});
