import { describe, expect, it } from 'vitest';
import { managedResources } from './node-inputs.ts';

describe('managedResources', () => {
  it('returns what is reserved, without the huge pages that are set aside from the memory', () => {
    const resources = {
      capacity: () => ({ cpu: '4', memory: '8Gi', 'hugepages-2Mi': '1Gi', 'example.com/gpu': '2' }),
      allocatable: () => ({ cpu: '3500m', memory: '6Gi', 'hugepages-2Mi': '1Gi', 'example.com/gpu': '1' }),
    };
    expect(managedResources(resources)).toEqual({
      reservation: { cpu: '500m', memory: '1Gi' },
      devices: { capacity: { 'example.com/gpu': '2' }, allocatable: { 'example.com/gpu': '1' }, removed: [] },
    });
  });
});
