import type { Metrics } from '@rxlet/component-base/metrics';
import type { ClaimRecord } from './claims/claim-record.ts';

/** Metrics of dynamic resource allocation, by the kubelet's names. */
export interface DraMetrics {
  /** Records the preparation or the unpreparation of all claims of a pod. */
  operation(name: 'PrepareResources' | 'UnprepareResources', isError: boolean, durationMs: number): void;
  /** Records a call of a plugin. */
  call(driver: string, methodName: string, statusCode: string, durationMs: number): void;
}

/** Upper bounds in seconds: 15 from 0.1 to 40, each the same factor above the one before. */
const BUCKETS: readonly number[] = Array.from({ length: 15 }, (_, index) => 0.1 * (40 / 0.1) ** (index / 14));
/** Bound for drivers in the metric of calls: plugins choose their names. */
const MAX_DRIVERS = 256;
/** Stands for all drivers. */
const ANY_DRIVER = '<any>';

/** Registers the {@link DraMetrics}. */
export function createDraMetrics(metrics: Metrics, claims: () => readonly ClaimRecord[]): DraMetrics {
  const drivers = new Set<string>();
  const operations = metrics.histogram({
    name: 'dra_operations_duration_seconds',
    help: "[ALPHA] Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops. Identified by the name of the operation (PrepareResources or UnprepareResources) and separated by the success of the operation. The number of failed operations is provided through the histogram's overall count.",
    labelNames: ['operation_name', 'is_error'],
    buckets: BUCKETS,
  });
  const calls = metrics.histogram({
    name: 'dra_grpc_operations_duration_seconds',
    help: '[ALPHA] Duration in seconds of the DRA gRPC operations',
    labelNames: ['driver_name', 'method_name', 'grpc_status_code'],
    buckets: BUCKETS,
  });
  metrics.gauge({
    name: 'dra_resource_claims_in_use',
    help: '[ALPHA] The number of ResourceClaims that are currently in use on the node, by driver name (driver_name label value) and across all drivers (special value <any> for driver_name). Note that the sum of all by-driver counts is not the total number of in-use ResourceClaims because the same ResourceClaim might use devices from different drivers. Instead, use the count for the <any> driver_name.',
    labelNames: ['driver_name'],
    collect: async () => [...claimsInUse(claims())].map(([name, value]) => ({ value, labels: { driver_name: name } })),
  });
  return {
    operation: (name, isError, durationMs) =>
      operations.observe(durationMs / 1_000, { operation_name: name, is_error: String(isError) }),
    call(driver, methodName, statusCode, durationMs) {
      if (!drivers.has(driver) && drivers.size >= MAX_DRIVERS) return;
      drivers.add(driver);
      calls.observe(durationMs / 1_000, {
        driver_name: driver,
        method_name: methodName,
        grpc_status_code: statusCode,
      });
    },
  };
}

/** Counts the claims that this agent has prepared, by driver and in all. */
export function claimsInUse(claims: readonly ClaimRecord[]): ReadonlyMap<string, number> {
  const prepared = claims.filter(({ isPrepared }) => isPrepared);
  const counts = new Map<string, number>();
  for (const driver of prepared.flatMap(({ drivers }) => [...drivers.keys()]))
    counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts.set(ANY_DRIVER, prepared.length);
}
