import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { admitUnderPressure } from './admit-under-pressure.ts';

const bestEffort = testPod();
const burstable = testPod({ containers: [{ resources: { requests: { cpu: '1' } } }] });
const tolerant = testPod({
  spec: {
    tolerations: [
      { key: 'other', operator: 'Exists' },
      { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
    ],
  },
});
const critical = testPod({ spec: { priority: 2_000_000_000 } });

describe('admitUnderPressure', () => {
  it('admits every pod without pressure, and critical pods always', () => {
    expect(admitUnderPressure(bestEffort, [])).toBeUndefined();
    expect(admitUnderPressure(critical, ['MemoryPressure', 'DiskPressure', 'PIDPressure'])).toBeUndefined();
  });

  it('rejects best-effort pods under memory pressure, unless they tolerate it', () => {
    expect(admitUnderPressure(bestEffort, ['MemoryPressure'])).toEqual({
      reason: 'Evicted',
      message: 'The node had condition: [MemoryPressure]. ',
    });
    expect(admitUnderPressure(burstable, ['MemoryPressure'])).toBeUndefined();
    expect(admitUnderPressure(tolerant, ['MemoryPressure'])).toBeUndefined();
    expect(admitUnderPressure({}, ['MemoryPressure'])?.reason).toBe('Evicted');
  });

  it('rejects every other pod under other pressure', () => {
    for (const pod of [bestEffort, burstable, tolerant]) {
      expect(admitUnderPressure(pod, ['PIDPressure'])?.message).toBe('The node had condition: [PIDPressure]. ');
      expect(admitUnderPressure(pod, ['MemoryPressure', 'DiskPressure'])?.message).toBe(
        'The node had condition: [MemoryPressure DiskPressure]. ',
      );
    }
  });
});
