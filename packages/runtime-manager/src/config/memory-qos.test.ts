import { testContainer, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { memoryQosValues, type MemoryQosSettings } from './memory-qos.ts';

const MI = 1024 ** 2;

function valuesOf(resources: object, settings: Partial<MemoryQosSettings> = {}): Record<string, string> {
  const container = testContainer({ resources });
  const pod = testPod({ containers: [container] });
  return memoryQosValues(
    pod,
    container,
    { reservationPolicy: 'TieredReservation', throttlingFactor: 0.5, ...settings },
    '1Gi',
  );
}

describe('memoryQosValues', () => {
  it('protects the request of a Guaranteed container strictly and does not throttle it', () => {
    const amounts = { cpu: '1', memory: '64Mi' };
    expect(valuesOf({ requests: amounts, limits: amounts })).toEqual({ 'memory.min': String(64 * MI) });
  });

  it('protects other requests weakly and throttles between request and limit', () => {
    expect(valuesOf({ requests: { memory: '64Mi' }, limits: { memory: '128Mi' } })).toEqual({
      'memory.low': String(64 * MI),
      'memory.high': String(96 * MI),
    });
  });

  it('throttles a container without a limit relative to the node', () => {
    expect(valuesOf({ requests: { memory: '64Mi' } })).toMatchObject({ 'memory.high': String((64 + 480) * MI) });
  });

  it('throttles relative to the memory that is not reserved if it is known', () => {
    const settings = { allocatableBytes: 512 * MI };
    expect(valuesOf({ requests: { memory: '64Mi' } }, settings)).toMatchObject({
      'memory.high': String((64 + 224) * MI),
    });
  });

  it('protects nothing of a container without a request', () => {
    expect(valuesOf({})).toEqual({ 'memory.min': '0', 'memory.low': '0' });
    expect(valuesOf({ limits: { memory: '64Mi' } })).toMatchObject({ 'memory.min': '0', 'memory.low': '0' });
  });

  it('rounds down to pages and never throttles below the request', () => {
    const resources = { requests: { memory: '1000' }, limits: { memory: '10000' } };
    expect(valuesOf(resources)['memory.high']).toBe('4096');
    expect(valuesOf({ requests: { memory: '4097' }, limits: { memory: '8191' } })['memory.high']).toBeUndefined();
  });

  it('removes the protection without a policy', () => {
    expect(
      valuesOf({ requests: { memory: '64Mi' }, limits: { memory: '64Mi' } }, { reservationPolicy: 'None' }),
    ).toEqual({ 'memory.min': '0', 'memory.low': '0' });
  });
});
