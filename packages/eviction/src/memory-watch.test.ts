import { describe, expect, it } from 'vitest';
import { memoryMarginBytes, memoryPauseMs } from './memory-watch.ts';
import { parseThresholds } from './parse-thresholds.ts';
import { GI, MI } from './test-support.ts';

const memory = (leftMi: number) => ({ time: 1, availableBytes: leftMi * MI, workingSetBytes: 8 * GI - leftMi * MI });
const thresholds = parseThresholds({
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
  evictionSoft: { 'memory.available': '1Gi' },
  evictionSoftGracePeriod: { 'memory.available': '1m' },
  enforceNodeAllocatable: ['pods'],
});

describe('the margin of memory', () => {
  it.each([
    ['counts from the hard threshold', { node: memory(300) }, 200 * MI],
    ['is that of the cgroup of all pods where it is smaller', { node: memory(300), pods: memory(150) }, 50 * MI],
    ['is negative beyond a threshold', { node: memory(60) }, -40 * MI],
    ['is infinite without a measurement', {}, Infinity],
  ])('%s', (_name, measured, margin) => {
    expect(memoryMarginBytes(thresholds, measured)).toBe(margin);
  });
});

describe('the pause before the next look at the memory', () => {
  it.each([
    [5 * GI, 10_000],
    [GI, 2000],
    [100 * MI, 200],
    [MI, 200],
    [Infinity, Infinity],
  ])('for a margin of %d bytes is %d ms', (margin, pauseMs) => {
    expect(memoryPauseMs(margin)).toBe(pauseMs);
  });
});
