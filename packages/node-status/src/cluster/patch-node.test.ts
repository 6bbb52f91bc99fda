import type { Node } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { nodeStatusPatch } from './patch-node.ts';

const node: Node = {
  metadata: { name: 'node1', labels: { a: 'b' } },
  spec: { unschedulable: true },
  status: {
    addresses: [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'node1' },
    ],
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
  },
};

describe('nodeStatusPatch', () => {
  it('is empty for equal nodes, and ignores the spec', () => {
    expect(nodeStatusPatch(node, { ...node, spec: {} })).toBeUndefined();
  });

  it('has the changed fields of conditions only', () => {
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:10Z' }];
    expect(nodeStatusPatch(node, { ...node, status: { ...node.status, conditions } })).toEqual({
      status: {
        '$setElementOrder/conditions': [{ type: 'Ready' }],
        conditions: [{ type: 'Ready', lastHeartbeatTime: '2026-01-01T00:00:10Z' }],
      },
    });
  });

  it('replaces the addresses, of which two may have one type', () => {
    const addresses = [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'InternalIP', address: 'fd00::1' },
    ];
    expect(nodeStatusPatch(node, { ...node, status: { ...node.status, addresses } })).toEqual({
      status: { addresses: [{ $patch: 'replace' }, ...addresses] },
    });
  });
});
