import type { NodeCondition, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeFaultRule, NodeFaultType } from '../plan/node-faults.ts';
import { startVirtualFleet, type VirtualFleet, type VirtualFleetOptions } from '../test-support/virtual-fleet.ts';

const fleets: VirtualFleet[] = [];
afterEach(async () => {
  for (const fleet of fleets.splice(0)) await fleet[Symbol.asyncDispose]();
});

async function start(options: VirtualFleetOptions): Promise<VirtualFleet> {
  const fleet = await startVirtualFleet(options);
  fleets.push(fleet);
  return fleet;
}

const rule = (type: NodeFaultType, more: Partial<NodeFaultRule> = {}): NodeFaultRule => ({
  ...{ type, afterMs: 30_000, durationMs: 60_000, staggerMs: 0 },
  ...more,
});
const withFault = (type: NodeFaultType, more?: Partial<NodeFaultRule>) => start({ faults: [rule(type, more)] });

function condition(fleet: VirtualFleet, type: string, node = 'fake-0'): NodeCondition | undefined {
  return fleet.node(node)?.status?.conditions?.find((entry) => entry.type === type);
}
const isReady = (fleet: VirtualFleet, node = 'fake-0'): boolean => condition(fleet, 'Ready', node)?.status === 'True';
const isRunning = (pod: Pod | undefined): boolean => pod?.status?.containerStatuses?.[0]?.state?.running !== undefined;
const restartsOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.restartCount;
const leaseOf = ({ kube }: VirtualFleet): string | undefined =>
  (kube.objects.get(resources.leases, 'fake-0', 'kube-node-lease') as { spec?: { renewTime?: string } } | undefined)
    ?.spec?.renewTime;

async function runPod(fleet: VirtualFleet, name = 'web', metadata: Pod['metadata'] = {}): Promise<void> {
  fleet.bind(name, 'fake-0', {}, metadata);
  await fleet.until(() => isRunning(fleet.pod(name)), 20);
}

describe('a node fault', { timeout: 30_000 }, () => {
  it('NotReady: the network of pods is not ready, and the pods that run go on', async () => {
    const fleet = await withFault('NotReady');
    await runPod(fleet);
    await fleet.until(() => !isReady(fleet), 50);
    expect(condition(fleet, 'Ready')).toMatchObject({ status: 'False', reason: 'KubeletNotReady' });
    expect(condition(fleet, 'Ready')?.message).toContain('cni plugin not initialized');
    expect(isRunning(fleet.pod('web'))).toBe(true);
    await fleet.until(() => isReady(fleet), 80);
    expect(restartsOf(fleet.pod('web'))).toBe(0);
  });

  it('AgentStop: the lease lapses, and the next agent adopts the containers', async () => {
    const fleet = await withFault('AgentStop', { durationMs: 120_000 });
    await runPod(fleet);
    await fleet.clock.advance(60_000);
    const lapsed = leaseOf(fleet);
    await fleet.clock.advance(60_000);
    expect(leaseOf(fleet)).toBe(lapsed);
    await fleet.until(() => leaseOf(fleet) !== lapsed, 60);
    await fleet.clock.advance(30_000);
    expect(isReady(fleet)).toBe(true);
    expect([isRunning(fleet.pod('web')), restartsOf(fleet.pod('web'))]).toEqual([true, 0]);
  });

  it('RuntimeHang: the node is not ready once the runtime has not answered for long', async () => {
    const fleet = await withFault('RuntimeHang', { durationMs: 300_000 });
    await runPod(fleet);
    await fleet.until(() => !isReady(fleet), 300);
    await fleet.until(() => isReady(fleet), 360);
    await runPod(fleet, 'later');
    expect(restartsOf(fleet.pod('web'))).toBe(0);
  });

  it('DiskPressure: pods are evicted, and the condition stays for five more minutes', async () => {
    const fleet = await withFault('DiskPressure', { durationMs: 30_000 });
    await runPod(fleet);
    await fleet.until(() => condition(fleet, 'DiskPressure')?.status === 'True', 60);
    await fleet.until(() => fleet.pod('web')?.status?.reason === 'Evicted', 60);
    expect(await fleet.until(() => condition(fleet, 'DiskPressure')?.status === 'False', 400)).toBeGreaterThan(200);
    await runPod(fleet, 'later');
  });

  it('Drain: the node is cordoned and emptied but for pods of DaemonSets, and takes pods again at the end', async () => {
    const fleet = await withFault('Drain');
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true }];
    await runPod(fleet);
    await runPod(fleet, 'agent', { ownerReferences });
    await fleet.until(() => fleet.pod('web') === undefined, 60);
    expect(fleet.node('fake-0')?.spec?.unschedulable).toBe(true);
    expect(isRunning(fleet.pod('agent'))).toBe(true);
    await fleet.until(() => fleet.node('fake-0')?.spec?.unschedulable === undefined, 80);
  });

  it('Reboot: the node has another boot ID, and its containers are restarted', async () => {
    const fleet = await withFault('Reboot');
    await runPod(fleet);
    const bootId = fleet.node('fake-0')?.status?.nodeInfo?.bootID;
    await fleet.until(() => fleet.node('fake-0')?.status?.nodeInfo?.bootID !== bootId, 120);
    await fleet.until(() => restartsOf(fleet.pod('web')) === 1 && isRunning(fleet.pod('web')), 30);
    expect(fleet.pod('web')?.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      ...{ exitCode: 255, reason: 'Unknown' },
    });
    const events = fleet.kube.objects.list(resources.events) as readonly { readonly reason?: string }[];
    expect(events.map(({ reason }) => reason)).toContain('Rebooted');
  });
});

describe('the schedule of node faults', { timeout: 30_000 }, () => {
  it('repeats a fault, and lets the nodes have it one after the other', async () => {
    const times = { afterMs: 20_000, durationMs: 30_000, periodMs: 120_000, staggerMs: 60_000 };
    const fleet = await start({ nodes: 2, faults: [rule('Drain', { ...times, nodes: ['fake-*'] })] });
    const cordoned: string[] = [];
    for (let seconds = 0; seconds < 300; seconds += 10) {
      await fleet.clock.advance(10_000);
      const names = ['fake-0', 'fake-1'].filter((name) => fleet.node(name)?.spec?.unschedulable);
      if (names.join() !== cordoned.at(-1)) cordoned.push(names.join());
    }
    expect(cordoned.filter((name) => name !== '')).toEqual(['fake-0', 'fake-1', 'fake-0', 'fake-1', 'fake-0']);
  });

  it('leaves the other nodes alone', async () => {
    const fleet = await start({ nodes: 2, faults: [rule('NotReady', { nodes: ['fake-1'] })] });
    await fleet.until(() => !isReady(fleet, 'fake-1'), 60);
    expect(isReady(fleet, 'fake-0')).toBe(true);
  });

  it('ends with the fleet, in the midst of a fault', async () => {
    const fleet = await withFault('AgentStop', { afterMs: 0, durationMs: 600_000 });
    await fleet.clock.advance(60_000);
    fleets.pop();
    await fleet[Symbol.asyncDispose]();
    expect(fleet.clock.pendingTimers).toBe(0);
  });
});
