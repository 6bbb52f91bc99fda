import { formatQuantity } from '@rxlet/pod-model/quantity';
import { EvictionValueError } from '@rxlet/pod-model/eviction-thresholds';
import { describe, expect, it } from 'vitest';
import { parseThresholds, type ThresholdConfiguration } from './parse-thresholds.ts';

const shown = (configuration: ThresholdConfiguration): string[] =>
  parseThresholds(configuration).map(({ signal, value, gracePeriodMs, minReclaim }) => {
    const show = ({ quantity, share }: typeof value): string =>
      quantity === undefined ? `${String(Math.round(share * 1000) / 10)}%` : formatQuantity(quantity);
    const reclaim = minReclaim === undefined ? '' : ` and ${show(minReclaim)}`;
    return `${signal}<${show(value)}${reclaim} for ${String(gracePeriodMs / 1000)}s`;
  });

describe('parseThresholds', () => {
  it('reads hard and soft thresholds with their grace period and minimum reclaim', () => {
    expect(
      shown({
        evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '0%' },
        evictionSoft: { 'memory.available': '250Mi', 'imagefs.available': '100%' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s', 'pid.available': '1s' },
        evictionMinimumReclaim: { 'memory.available': '50Mi', 'nodefs.available': '5%' },
      }),
    ).toEqual([
      'memory.available<100Mi and 50Mi for 0s',
      'nodefs.available<10% and 5% for 0s',
      'memory.available<250Mi and 50Mi for 90s',
    ]);
  });

  it('applies hard thresholds of memory to the cgroup of all pods, where its limit is enforced', () => {
    const configuration = {
      evictionHard: { 'memory.available': '100Mi' },
      evictionSoft: { 'memory.available': '200Mi' },
      evictionSoftGracePeriod: { 'memory.available': '0s' },
      evictionMinimumReclaim: { 'memory.available': '10Mi', 'allocatableMemory.available': '20Mi' },
    };
    expect(shown({ ...configuration, enforceNodeAllocatable: ['kube-reserved', 'pods'] }).slice(2)).toEqual([
      'allocatableMemory.available<100Mi and 10Mi for 0s',
      'allocatableMemory.available<200Mi and 10Mi for 0s',
    ]);
    expect(shown({ ...configuration, enforceNodeAllocatable: ['none'] })).toHaveLength(2);
    const delayed = { ...configuration, evictionSoftGracePeriod: { 'memory.available': '30s' } };
    expect(shown({ ...delayed, enforceNodeAllocatable: ['pods'] }).slice(2)).toEqual([
      'allocatableMemory.available<100Mi and 10Mi for 0s',
    ]);
  });

  it.each<[ThresholdConfiguration, string]>([
    [{ evictionHard: { memory: '1Gi' } }, 'unsupported eviction signal "memory"'],
    [{ evictionHard: { 'memory.available': '0' } }, 'eviction threshold "0" of memory.available must be a positive'],
    [{ evictionSoft: { 'memory.available': '1Gi' } }, 'a grace period must be specified for memory.available'],
    [{ evictionSoftGracePeriod: { 'memory.available': '90' } }, 'eviction grace period "90" of memory.available'],
    [{ evictionSoftGracePeriod: { 'memory.available': '-1s' } }, 'eviction grace period "-1s" of memory.available'],
    [{ evictionSoftGracePeriod: { '': '90s' } }, 'unsupported eviction signal ""'],
    [{ evictionMinimumReclaim: { 'pid.available': '-1' } }, 'minimum eviction reclaim "-1" of pid.available'],
  ])('rejects %j', (configuration, message) => {
    expect(() => parseThresholds(configuration)).toThrow(EvictionValueError);
    expect(() => parseThresholds(configuration)).toThrow(message);
  });
});
