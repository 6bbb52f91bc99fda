import { describe, expect, it } from 'vitest';
import { nodeAllocatableReservation, overcommittedReservations } from './node-allocatable.ts';

const capacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' };

describe('nodeAllocatableReservation', () => {
  it('adds the reservations and the hard eviction thresholds of resources that the node has', () => {
    const reservations = {
      kubeReserved: { cpu: '250m', memory: '1Gi', pid: '1000' },
      systemReserved: { cpu: '0.5', memory: '100Mi' },
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
    };
    expect(nodeAllocatableReservation(capacity, reservations)).toEqual({
      cpu: '750m',
      memory: '1224Mi',
      'ephemeral-storage': '10737418400',
    });
  });

  it.each(['0%', '100%'])('ignores a threshold of %s', (threshold) => {
    expect(nodeAllocatableReservation(capacity, { evictionHard: { 'memory.available': threshold } })).toEqual({});
  });

  it('finds what exceeds the capacity', () => {
    expect(overcommittedReservations(capacity, { cpu: '4', memory: '9Gi', pods: '1' })).toEqual(['memory', 'pods']);
  });
});
