import { recordingMetrics } from '@rxlet/component-base/testing';
import type { Metrics } from '@rxlet/component-base/metrics';
import { describe, expect, it } from 'vitest';
import type { ClaimRecord } from './claims/claim-record.ts';
import { claimsInUse, createDraMetrics } from './dra-metrics.ts';

function recordOf(name: string, isPrepared: boolean, ...drivers: readonly string[]): ClaimRecord {
  const devices = new Map(drivers.map((driver) => [driver, []]));
  return { uid: name, namespace: 'ns', name, podUids: new Set(), drivers: devices, isPrepared };
}

describe('claimsInUse', () => {
  it('counts prepared claims by driver, and in all', () => {
    const claims = [recordOf('a', true, 'one', 'two'), recordOf('b', true, 'one'), recordOf('c', false, 'three')];
    expect([...claimsInUse(claims)]).toEqual([
      ['one', 2],
      ['two', 1],
      ['<any>', 2],
    ]);
    expect([...claimsInUse([])]).toEqual([['<any>', 0]]);
  });
});

describe('the metrics of dynamic resource allocation', () => {
  it('show operations of pods, calls of plugins, and the claims in use at each collection', async () => {
    const metrics = recordingMetrics();
    let claims = [recordOf('a', true, 'one')];
    const dra = createDraMetrics(metrics, () => claims);
    dra.operation('PrepareResources', true, 1_500);
    dra.call('one', '/p.DRAPlugin/NodePrepareResources', 'OK', 200);
    expect(
      metrics.observed('dra_operations_duration_seconds{is_error="true",operation_name="PrepareResources"}'),
    ).toEqual([1.5]);
    const series = 'driver_name="one",grpc_status_code="OK",method_name="/p.DRAPlugin/NodePrepareResources"';
    expect(metrics.observed(`dra_grpc_operations_duration_seconds{${series}}`)).toEqual([0.2]);
    const inUse = (driver: string) => metrics.values.get(`dra_resource_claims_in_use{driver_name="${driver}"}`);
    await metrics.collect();
    expect([inUse('one'), inUse('<any>')]).toEqual([1, 1]);
    claims = [];
    await metrics.collect();
    expect([inUse('one'), inUse('<any>')]).toEqual([undefined, 0]);
  });

  it("use the kubelet's buckets", () => {
    const buckets: (readonly number[])[] = [];
    const metrics: Metrics = {
      ...recordingMetrics(),
      histogram(options) {
        buckets.push(options.buckets);
        return recordingMetrics().histogram(options);
      },
    };
    createDraMetrics(metrics, () => []);
    expect(buckets).toHaveLength(2);
    for (const bounds of buckets) {
      expect(bounds).toHaveLength(15);
      expect([bounds[0], bounds[14]]).toEqual([0.1, expect.closeTo(40, 9)]);
      expect(bounds[7]! / bounds[6]!).toBeCloseTo(bounds[1]! / bounds[0]!, 9);
    }
  });

  it('cover a bounded number of drivers', () => {
    const metrics = recordingMetrics();
    const dra = createDraMetrics(metrics, () => []);
    for (let index = 0; index <= 256; index += 1) dra.call(`driver${String(index)}`, '/m', 'OK', 1);
    const series = (index: number) =>
      `dra_grpc_operations_duration_seconds{driver_name="driver${String(index)}",grpc_status_code="OK",method_name="/m"}`;
    expect([metrics.observed(series(255)).length, metrics.observed(series(256)).length]).toEqual([1, 0]);
  });
});
