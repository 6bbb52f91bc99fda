import { Signal } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { criSignalNumber, signalNumber } from './signals.ts';

describe('signals', () => {
  it('use the numbers of Linux', () => {
    expect(criSignalNumber(Signal.RUNTIME_DEFAULT)).toBe(15);
    expect(criSignalNumber(Signal.SIGTERM)).toBe(15);
    expect(criSignalNumber(Signal.SIGKILL)).toBe(9);
    expect(criSignalNumber(Signal.SIGUSR1)).toBe(10);
    expect(criSignalNumber(Signal.SIGRTMIN)).toBe(34);
    expect(criSignalNumber(Signal.SIGRTMINPLUS3)).toBe(37);
    expect(criSignalNumber(Signal.SIGRTMAXMINUS14)).toBe(50);
    expect(criSignalNumber(Signal.SIGRTMAX)).toBe(64);
  });

  it('cover all signals of the CRI', () => {
    const all = Object.values(Signal).filter((signal) => typeof signal === 'number');
    expect(all).toHaveLength(66);
    const numbers = all
      .filter((signal) => signal !== Signal.RUNTIME_DEFAULT && signal !== Signal.SIGTERM)
      .map(criSignalNumber);
    expect(numbers).not.toContain(15);
  });

  it('resolve by name in a shell script', () => {
    expect(['TERM', 'SIGTERM', 'term', '15', 'INT', 'EXIT', '99'].map(signalNumber)).toEqual([
      15,
      15,
      15,
      15,
      2,
      undefined,
      undefined,
    ]);
  });
});
