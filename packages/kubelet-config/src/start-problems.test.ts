import { describe, expect, it } from 'vitest';
import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import { findStartProblems } from './start-problems.ts';

describe('findStartProblems', () => {
  it.each<[KubeletConfiguration]>([
    [{}],
    [
      {
        evictionHard: {
          'memory.available': '5%',
          'nodefs.available': '1.5Gi',
          'pid.available': '0%',
          'imagefs.available': '1_0%',
          'imagefs.inodesFree': '5%%',
          'nodefs.inodesFree': 'NaN%',
        },
      },
    ],
    [{ evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '0s' } }],
    [{ evictionMinimumReclaim: { 'memory.available': '0', 'imagefs.available': '200%' } }],
    [{ kubeReserved: { cpu: '100m', pid: '10' }, qosReserved: { memory: '50%' } }],
  ])('accepts %j', (configuration) => {
    expect(findStartProblems(configuration)).toEqual([]);
  });

  it.each<[KubeletConfiguration, string]>([
    [{ evictionHard: { memory: '1Gi' } }, 'eviction'],
    [{ evictionHard: { memory: '0%' } }, 'eviction'],
    [{ evictionHard: { 'memory.available': '0' } }, 'eviction'],
    [{ evictionHard: { 'memory.available': '101%' } }, 'eviction'],
    [{ evictionHard: { 'memory.available': '5 %' } }, 'eviction'],
    [{ evictionSoft: { 'memory.available': '1Gi' } }, 'eviction'],
    [{ evictionSoftGracePeriod: { 'memory.available': '90' } }, 'eviction'],
    [{ evictionMinimumReclaim: { 'memory.available': '0%' } }, 'eviction'],
    [{ kubeReserved: { 'nvidia.com/gpu': '1' } }, 'kubeReserved'],
    [{ systemReserved: { cpu: '-1' } }, 'systemReserved'],
    [{ qosReserved: { memory: '110%' } }, 'qosReserved'],
    [{ qosReserved: { cpu: '10%' } }, 'qosReserved'],
  ])('finds the problem of %j', (configuration, part) => {
    expect(findStartProblems(configuration).map((problem) => problem.part)).toEqual([part]);
  });
});
