import type { PodStatus } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { sameStatus } from './status-equality.ts';

const base: PodStatus = {
  phase: 'Running',
  podIPs: [{ ip: '10.0.0.1' }],
  conditions: [
    { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    { type: 'example.com/gate', status: 'True' },
  ],
  containerStatuses: [{ name: 'app', image: 'i', imageID: 'i', ready: true, restartCount: 0, lastState: {} }],
};

describe('sameStatus', () => {
  it.each<[what: string, other: PodStatus]>([
    ['itself', structuredClone(base)],
    ['other keys with nothing in them', { ...base, reason: undefined, initContainerStatuses: [] }],
    [
      'other times and generations of conditions',
      {
        ...base,
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: '',
            lastTransitionTime: '2027-01-01T00:00:00Z',
            observedGeneration: 3,
          },
        ],
      },
    ],
    ['conditions of others', { ...base, conditions: base.conditions!.slice(0, 1) }],
    ['resource claims', { ...base, resourceClaimStatuses: [{ name: 'claim' }] }],
  ])('ignores %s', (_what, other) => {
    expect(sameStatus(base, other)).toBe(true);
    expect(sameStatus(other, base)).toBe(true);
  });

  it.each<[what: string, other: PodStatus]>([
    ['the phase', { ...base, phase: 'Failed' }],
    ['an added field', { ...base, reason: 'Evicted' }],
    ['the observed generation', { ...base, observedGeneration: 2 }],
    ['the status of a condition', { ...base, conditions: [{ type: 'Ready', status: 'False' }] }],
    ['the message of a condition', { ...base, conditions: [{ type: 'Ready', status: 'True', message: 'x' }] }],
    ['the type of a condition', { ...base, conditions: [{ type: 'PodScheduled', status: 'True' }] }],
    ['missing conditions', { ...base, conditions: undefined }],
    ['the reason of a condition', { ...base, conditions: [{ type: 'Ready', status: 'True', reason: 'x' }] }],
    ['another condition', { ...base, conditions: [...base.conditions!, { type: 'PodScheduled', status: 'True' }] }],
    ['a disruption', { ...base, conditions: [...base.conditions!, { type: 'DisruptionTarget', status: 'True' }] }],
    ['a field of a container', { ...base, containerStatuses: [{ ...base.containerStatuses![0]!, restartCount: 1 }] }],
    ['the order of IPs', { ...base, podIPs: [{ ip: 'fd00::1' }, { ip: '10.0.0.1' }] }],
    ['a missing list', { ...base, containerStatuses: [] }],
  ])('detects %s', (_what, other) => {
    expect(sameStatus(base, other)).toBe(false);
    expect(sameStatus(other, base)).toBe(false);
  });

  it('compares every condition', () => {
    const scheduled = { type: 'PodScheduled', status: 'True' };
    const status = (ready: string): PodStatus => ({ conditions: [scheduled, { type: 'Ready', status: ready }] });
    expect(sameStatus(status('True'), status('False'))).toBe(false);
    expect(sameStatus(status('True'), status('True'))).toBe(true);
  });
});
