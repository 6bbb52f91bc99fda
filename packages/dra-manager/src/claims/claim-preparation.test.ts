import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createTestDraPlugin, type TestDraPlugin } from '../testing/test-dra-plugin.ts';
import { createClaimPreparation } from './claim-preparation.ts';
import { createClaimRecords } from './claim-record.ts';

const { settle: settled } = createVirtualClock();

/** Claims are named `<driver>[+<driver>]-<id>`, and reserved for every pod. */
function createBench() {
  const plugins = new Map(['one', 'two'].map((driver) => [driver, createTestDraPlugin({ driver })]));
  const records = createClaimRecords();
  let saves = 0;
  let saveFailure: Error | undefined;
  const uids = new Map<string, string>();
  const find = (driver: string): TestDraPlugin => {
    const plugin = plugins.get(driver);
    if (plugin === undefined) throw new Error(`DRA driver ${driver} is not registered`);
    return plugin;
  };
  const claim = (namespace: string, name: string): ResourceV1ResourceClaim => ({
    metadata: { name, namespace, uid: uids.get(name) ?? `uid-${name}` },
    spec: {},
    status: {
      reservedFor: ['p1', 'p2'].map((uid) => ({ resource: 'pods', name: uid, uid })),
      allocation: {
        devices: {
          results: name
            .split('-')[0]!
            .split('+')
            .map((driver) => ({ driver, request: 'r', pool: 'pool', device: name })),
        },
      },
    },
  });
  const preparation = createClaimPreparation(
    {
      records,
      readClaim: async (namespace, name) => {
        if (name.startsWith('none')) throw new Error(`resourceclaims.resource.k8s.io "${name}" not found`);
        return claim(namespace, name);
      },
      plugin: (driver) => find(driver).connect('', 'v1.DRAPlugin'),
      async save() {
        if (saveFailure !== undefined) throw saveFailure;
        saves += 1;
      },
    },
    { extendedResources: true },
  );
  return {
    preparation,
    records,
    plugin: find,
    uids,
    saves: () => saves,
    failSaves: (error?: Error) => void (saveFailure = error),
    unregister: (driver: string) => void plugins.delete(driver),
    calls: () =>
      [...plugins].flatMap(([driver, { calls }]) =>
        calls.map(({ method, claims }) => `${driver} ${method.slice(4, -9)} ${claims.join(',')}`),
      ),
    podsOf: (name: string) => [...(records.find('ns', name)?.podUids ?? [])],
  };
}

function podWith(uid: string, ...claims: readonly string[]): Pod {
  return {
    metadata: { name: uid, namespace: 'ns', uid },
    spec: { containers: [], resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })) },
  };
}

describe('prepare', () => {
  it('calls each driver once with all of its claims, and records their devices', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a', 'two-b', 'one+two-c'));
    expect(bench.calls()).toEqual(['one Prepare one-a,one+two-c', 'two Prepare two-b,one+two-c']);
    expect(bench.records.find('ns', 'one+two-c')).toMatchObject({ isPrepared: true, uid: 'uid-one+two-c' });
    expect([...bench.records.find('ns', 'one+two-c')!.drivers.keys()]).toEqual(['one', 'two']);
    // Once before the first call, once after the last.
    expect(bench.saves()).toBe(2);
  });

  it('does nothing for a pod without claims, and for one whose claims are prepared', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1'));
    expect(bench.saves()).toBe(0);
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    expect([bench.calls(), bench.saves()]).toEqual([['one Prepare one-a'], 2]);
  });

  it.each([
    ['does not exist', 'none-a', 'fetch ResourceClaim none-a: resourceclaims.resource.k8s.io "none-a" not found'],
    ['has a driver that is not registered', 'three-a', 'DRA driver three is not registered'],
  ])('records nothing when a claim %s', async (_title, name, message) => {
    const bench = createBench();
    await expect(bench.preparation.prepare(podWith('p1', 'one-a', name))).rejects.toThrow(new Error(message));
    expect([bench.records.list(), bench.calls(), bench.saves()]).toEqual([[], [], 0]);
  });

  it('records nothing for a pod that the claim is not reserved for', async () => {
    const bench = createBench();
    await expect(bench.preparation.prepare(podWith('p3', 'one-a'))).rejects.toThrow('is not allowed to use');
    expect(bench.records.list()).toEqual([]);
  });

  it('repeats only what has failed, and keeps the devices once', async () => {
    const bench = createBench();
    const pod = podWith('p1', 'one-a', 'two-b', 'one+two-c');
    bench.plugin('two').fault = () => 'busy';
    const message = 'NodePrepareResources failed for ResourceClaim two-b: busy';
    await expect(bench.preparation.prepare(pod)).rejects.toThrow(new Error(message));
    expect(bench.records.list().map(({ isPrepared }) => isPrepared)).toEqual([true, false, false]);
    bench.plugin('two').fault = undefined;
    await bench.preparation.prepare(pod);
    expect(bench.calls()).toEqual([
      'one Prepare one-a,one+two-c',
      'one Prepare one+two-c',
      'two Prepare two-b,one+two-c',
      'two Prepare two-b,one+two-c',
    ]);
    expect(bench.records.find('ns', 'one+two-c')?.drivers.get('one')).toHaveLength(1);
  });

  it('keeps the pod recorded after a failed call, so that its end releases the claim', async () => {
    const bench = createBench();
    bench.plugin('one').fault = () => Promise.reject(new Error('rpc error: code = Unknown desc = oops'));
    await expect(bench.preparation.prepare(podWith('p1', 'one-a'))).rejects.toThrow(
      'NodePrepareResources: rpc error: code = Unknown desc = oops',
    );
    expect(bench.podsOf('one-a')).toEqual(['p1']);
    bench.plugin('one').fault = undefined;
    await bench.preparation.unprepare('p1');
    expect(bench.records.list()).toEqual([]);
  });

  it('calls no driver before the pod is saved', async () => {
    const bench = createBench();
    bench.failSaves(new Error('no space left on device'));
    await expect(bench.preparation.prepare(podWith('p1', 'one-a'))).rejects.toThrow(
      'checkpoint ResourceClaim cache: no space left on device',
    );
    expect(bench.calls()).toEqual([]);
    bench.failSaves();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    expect([bench.calls(), bench.saves()]).toEqual([['one Prepare one-a'], 2]);
  });

  it('fails while an earlier claim of the same name is recorded', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    bench.uids.set('one-a', 'new');
    const message =
      'old ResourceClaim with same name one-a and different UID uid-one-a still exists (previous pod force-deleted?!)';
    await expect(bench.preparation.prepare(podWith('p2', 'one-a'))).rejects.toThrow(new Error(message));
    expect(bench.podsOf('one-a')).toEqual(['p1']);
    await bench.preparation.unprepare('p1');
    await bench.preparation.prepare(podWith('p2', 'one-a'));
    expect(bench.records.find('ns', 'one-a')?.uid).toBe('new');
  });

  it('waits for the preparation of a shared claim, and holds up no pod by the other claims of its pod', async () => {
    const bench = createBench();
    const hang = Promise.withResolvers<void>();
    bench.plugin('two').fault = () => hang.promise;
    const first = bench.preparation.prepare(podWith('p1', 'one-a', 'two-b'));
    await settled();
    await bench.preparation.prepare(podWith('p2', 'one-a'));
    expect(bench.calls()).toEqual(['one Prepare one-a', 'two Prepare two-b']);
    const second = bench.preparation.prepare(podWith('p2', 'two-b'));
    await settled();
    expect(bench.podsOf('two-b')).toEqual(['p1']);
    hang.resolve();
    await Promise.all([first, second]);
    expect(bench.calls()).toEqual(['one Prepare one-a', 'two Prepare two-b']);
  });

  it('ends with its signal, while it waits for a claim as well', async () => {
    const bench = createBench();
    const hang = Promise.withResolvers<void>();
    bench.plugin('one').fault = () => hang.promise;
    const first = new AbortController();
    const preparing = bench.preparation.prepare(podWith('p1', 'one-a'), first.signal);
    await settled();
    const second = new AbortController();
    const waiting = bench.preparation.prepare(podWith('p2', 'one-a'), second.signal);
    await settled();
    second.abort(new Error('deleted'));
    await expect(waiting).rejects.toThrow(new Error('deleted'));
    first.abort(new Error('stopped'));
    await expect(preparing).rejects.toThrow(new Error('stopped'));
    expect(bench.podsOf('one-a')).toEqual(['p1']);
    hang.resolve();
  });
});

describe('unprepare', () => {
  it('releases a claim with its last pod', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a', 'one-b'));
    await bench.preparation.prepare(podWith('p2', 'one-a'));
    await bench.preparation.unprepare('p1');
    expect(bench.podsOf('one-a')).toEqual(['p2']);
    await bench.preparation.unprepare('p2');
    await bench.preparation.unprepare('p2');
    expect(bench.calls().slice(1)).toEqual(['one Unprepare one-b', 'one Unprepare one-a']);
    expect(bench.records.list()).toEqual([]);
  });

  it('is not possible for a pod that does not use the claim', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    await bench.preparation.unprepare('p2');
    expect(bench.calls()).toEqual(['one Prepare one-a']);
  });

  it.each<[string, TestDraPlugin['fault'], string]>([
    ['answers with an error', () => 'busy', 'NodeUnprepareResources failed for ResourceClaim one+two-b: busy'],
    ['fails', () => Promise.reject(new Error('oops')), 'NodeUnprepareResources: oops'],
  ])('is repeated for the claims of a driver that %s', async (_title, fault, message) => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a', 'one+two-b'));
    bench.plugin('two').fault = fault;
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow(new Error(message));
    expect(bench.records.list().map(({ name }) => name)).toEqual(['one+two-b']);
    bench.plugin('two').fault = undefined;
    await bench.preparation.unprepare('p1');
    expect(bench.records.list()).toEqual([]);
  });

  it('waits for a driver that is not registered any more', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a', 'two-b'));
    bench.unregister('two');
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow(new Error('DRA driver two is not registered'));
    expect(bench.records.list().map(({ name }) => name)).toEqual(['two-b']);
  });

  it('is saved even when the claim is gone already', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    bench.failSaves(new Error('read-only file system'));
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow(
      'checkpoint ResourceClaim state: read-only file system',
    );
    bench.failSaves();
    await bench.preparation.unprepare('p1');
    expect(bench.saves()).toBe(3);
    await bench.preparation.unprepare('p1');
    expect(bench.saves()).toBe(3);
  });

  it('succeeds for a pod without claims while those of others cannot be saved', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    bench.failSaves(new Error('no space left on device'));
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow('no space left on device');
    await bench.preparation.prepare(podWith('p2'));
    await bench.preparation.unprepare('p2');
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow('no space left on device');
  });

  it('does not take a claim from a pod that comes meanwhile', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    const hang = Promise.withResolvers<void>();
    bench.plugin('one').fault = () => hang.promise;
    const ending = bench.preparation.unprepare('p1');
    await settled();
    const coming = bench.preparation.prepare(podWith('p2', 'one-a'));
    await settled();
    hang.resolve();
    await Promise.all([ending, coming]);
    expect(bench.calls()).toEqual(['one Prepare one-a', 'one Unprepare one-a', 'one Prepare one-a']);
    expect(bench.plugin('one').prepared.size).toBe(1);
    expect(bench.podsOf('one-a')).toEqual(['p2']);
  });

  it('prepares a claim again whose release has failed when another pod comes', async () => {
    const bench = createBench();
    await bench.preparation.prepare(podWith('p1', 'one-a'));
    bench.plugin('one').fault = () => 'busy';
    await expect(bench.preparation.unprepare('p1')).rejects.toThrow('busy');
    bench.plugin('one').fault = undefined;
    await bench.preparation.prepare(podWith('p2', 'one-a'));
    await bench.preparation.unprepare('p1');
    expect(bench.calls()).toEqual(['one Prepare one-a', 'one Unprepare one-a', 'one Prepare one-a']);
    expect(bench.podsOf('one-a')).toEqual(['p2']);
  });
});
