import { describe, expect, it } from 'vitest';
import { initialNode } from './initial-node.ts';
import { reconcileNode } from './reconcile-node.ts';
import { setNodeStatus } from './set-node-status.ts';
import { testNodeInputs, testNodeSettings } from './test-support.ts';
import { isReportDue, updateNode } from './update-node.ts';

const { node } = setNodeStatus(initialNode(testNodeSettings), testNodeInputs);
const later = { ...testNodeInputs, nowMs: testNodeInputs.nowMs + 10_000 };

describe('updateNode', () => {
  it('has not changed when only heartbeats are new and quantities are written differently', () => {
    const capacity = { ...node.status?.capacity, cpu: '2000m', memory: '4096Mi' };
    const same = { ...node, status: { ...node.status, capacity, conditions: node.status?.conditions?.toReversed() } };
    expect(updateNode(same as typeof node, later, { knownPodCidr: '' }).changed).toBe(false);
  });

  it('restores the labels of the machine', () => {
    const unlabelled = { ...node, metadata: { name: 'node1', labels: { mine: 'x' } } };
    const updated = updateNode(unlabelled, later, { knownPodCidr: '' });
    expect(updated.changed).toBe(true);
    expect(updated.node.metadata?.labels).toEqual({
      mine: 'x',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    });
  });

  it('has changed with the range of pod addresses', () => {
    const ranged = { ...node, spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } };
    expect(updateNode(ranged, later, { knownPodCidr: '' })).toMatchObject({
      changed: true,
      podCidr: '10.0.0.0/24,fd00::/64',
    });
    expect(updateNode(ranged, later, { knownPodCidr: '10.0.0.0/24,fd00::/64' }).changed).toBe(false);
  });
});

describe('isReportDue', () => {
  it.each([
    [undefined, true],
    [0, true],
    [1, false],
  ])('after a report at %s: %s', (lastReportMs, due) => {
    expect(isReportDue({ lastReportMs, delayMs: 100, periodMs: 300_000 }, 300_100)).toBe(due);
  });
});

describe('reconcileNode', () => {
  const existing = {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata?.labels, mine: 'x' } },
    spec: { taints: [{ key: 'mine', effect: 'NoSchedule' as const }] },
  };

  it('returns the node itself when nothing differs', () => expect(reconcileNode(node, existing)).toBe(existing));

  it('takes over default labels only, and keeps what is not its own', () => {
    const initial = { ...node, metadata: { ...node.metadata, labels: { 'kubernetes.io/arch': 'arm64', other: 'y' } } };
    const { metadata, spec } = reconcileNode(initial, existing);
    expect(metadata?.labels).toMatchObject({ 'kubernetes.io/arch': 'arm64', mine: 'x' });
    expect(metadata?.labels).not.toHaveProperty('other');
    expect(spec).toEqual(existing.spec);
  });

  it('adds, changes and removes huge pages', () => {
    const capacity = { 'hugepages-2Mi': '32Mi', 'hugepages-1Gi': '1Gi' };
    const initial = { ...node, status: { capacity, allocatable: capacity } };
    const old = {
      ...existing,
      status: { capacity: { cpu: '2', 'hugepages-64Ki': '0', 'hugepages-2Mi': '16Mi' }, allocatable: { cpu: '2' } },
    };
    const reconciled = reconcileNode(initial, old).status;
    expect(reconciled?.capacity).toEqual({ cpu: '2', ...capacity });
    expect(reconciled?.allocatable).toEqual({ cpu: '2', ...capacity });
  });

  it('resets extended resources when their devices are unknown', () => {
    const devices = { ...node.status?.capacity, 'example.com/gpu': '4' };
    const withDevices = { ...existing, status: { ...node.status, capacity: devices, allocatable: devices } };
    const { status } = reconcileNode(node, withDevices, { resetExtendedResources: true });
    expect(status?.capacity).toMatchObject({ cpu: '2', 'example.com/gpu': '0' });
  });
});
