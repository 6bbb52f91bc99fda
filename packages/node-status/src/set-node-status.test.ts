import { describe, expect, it } from 'vitest';
import { initialNode } from './initial-node.ts';
import { setNodeStatus } from './set-node-status.ts';
import { testNodeInputs, testNodeSettings } from './test-support.ts';

const initial = initialNode(testNodeSettings);

describe('setNodeStatus', () => {
  it('sets aside reservations and huge pages', () => {
    const { node, errors } = setNodeStatus(initial, testNodeInputs);
    expect(errors).toEqual([]);
    expect(node.status?.capacity).toEqual({
      cpu: '2',
      memory: '4Gi',
      'hugepages-2Mi': '16Mi',
      'ephemeral-storage': '100Gi',
      pods: '110',
    });
    expect(node.status?.allocatable).toMatchObject({ cpu: '1500m', memory: '3056Mi', 'hugepages-2Mi': '16Mi' });
  });

  it('does not change the node that it gets', () => {
    const before = structuredClone(initial);
    setNodeStatus(initial, testNodeInputs);
    expect(initial).toEqual(before);
  });

  it('is not ready for any reason it gets, and adds warnings', () => {
    const inputs = { ...testNodeInputs, notReady: ['a', 'b', 'a'], warnings: ['c'] };
    const conditions = setNodeStatus(initial, inputs).node.status?.conditions;
    expect(conditions?.at(-1)).toMatchObject({ type: 'Ready', status: 'False', message: '[a, b]. WARNING: c' });
  });

  it('is not ready without its basic resources', () => {
    const { ephemeralStorageBytes: _, ...inputs } = testNodeInputs;
    const { node } = setNodeStatus(initial, { ...inputs, ephemeralStorageBytes: undefined });
    expect(node.status?.conditions?.at(-1)?.message).toBe('missing node capacity for resources: ephemeral-storage');
  });

  it('keeps transition times of conditions that stay, and reports those that change', () => {
    const { node: ready } = setNodeStatus(initial, testNodeInputs);
    const later = { ...testNodeInputs, nowMs: testNodeInputs.nowMs + 10_000 };
    const { node, events } = setNodeStatus(ready, { ...later, notReady: ['container runtime is down'] });
    expect(events.map(({ reason }) => reason)).toEqual(['NodeNotReady']);
    expect(node.status?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime?.slice(-3))).toEqual([
      '00Z',
      '00Z',
      '00Z',
      '10Z',
    ]);
  });

  it('keeps the addresses when none is usable, and reports why', () => {
    const { node } = setNodeStatus(initial, testNodeInputs);
    const addresses = { hostIps: [], nameIps: [], defaultRouteIps: {} };
    const { node: after, errors } = setNodeStatus(node, { ...testNodeInputs, addresses });
    expect(after.status?.addresses).toEqual(node.status?.addresses);
    expect(errors).toEqual(["can't get ip address of node node1. error: no default routes found"]);
  });

  it('reports a reboot', () => {
    const { node } = setNodeStatus(initial, testNodeInputs);
    const machine = { ...testNodeInputs.machine!, bootId: 'boot-2' };
    expect(setNodeStatus(node, { ...testNodeInputs, machine }).events[0]).toMatchObject({
      type: 'Warning',
      reason: 'Rebooted',
      message: 'Node node1 has been rebooted, boot id: boot-2',
    });
  });
});
