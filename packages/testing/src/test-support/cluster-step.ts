import type { Fault } from '@rxlet/fake-kube';
import fc from 'fast-check';
import { clusterPodKinds } from '../model/cluster-pods.ts';
import type { ApiStep, ServerStep } from '../model/cluster-step.ts';
import type { WeightedSteps } from './runtime-step.ts';

/** Returns requests of users. Static pods have mirror pods under `staticName`. */
export function apiSteps(name: fc.Arbitrary<string>, staticName: fc.Arbitrary<string>): WeightedSteps<ApiStep> {
  const version = fc.nat(2);
  const graceSeconds = fc.constantFrom(undefined, undefined, 0, 1, 5);
  return [
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('create' as const),
        name,
        kind: fc.constantFrom(...clusterPodKinds, 'config' as const),
        version,
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), name, graceSeconds }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), name: staticName, graceSeconds }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), name, isHeld: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('label' as const), name, value: fc.constantFrom('a', 'b') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('image' as const), name, version }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('overwrite' as const), name: fc.oneof(name, staticName) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('object' as const),
        kind: fc.constantFrom('ConfigMap' as const, 'Secret' as const),
        version: fc.constantFrom(1, 2, 3, undefined),
      }),
    },
  ];
}

const match: fc.Arbitrary<NonNullable<Fault['match']>> = fc.constantFrom(
  { resource: 'pods' },
  { resource: 'pods', verb: 'get' },
  { resource: 'pods', verb: 'patch' },
  { resource: 'pods', verb: 'delete' },
  { resource: 'pods', verb: 'create' },
  { resource: 'pods', verb: 'watch' },
  { resource: 'pods', verb: 'list' },
  { resource: 'configmaps' },
  { resource: 'secrets' },
  { resource: 'nodes' },
  { resource: 'leases' },
  { resource: 'serviceaccounts' },
  {},
);
const action: fc.Arbitrary<NonNullable<Fault['action']>> = fc.oneof(
  fc
    .constantFrom('InternalError', 'TooManyRequests', 'ServiceUnavailable', 'Timeout', 'Conflict', 'Unauthorized')
    .map((reason) => ({ type: 'error' as const, reason: reason as 'InternalError' })),
  fc.constantFrom('before' as const, 'after' as const).map((when) => ({ type: 'drop' as const, when })),
  fc.constantFrom({ type: 'hang' as const }, { type: 'silent' as const }, { type: 'garbage' as const }),
  fc.constant({ type: 'delay' as const }),
);

/** Returns faults of the API server. */
export function serverSteps(): WeightedSteps<ServerStep> {
  return [
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('api-fault' as const),
        fault: fc.record({ match, times: fc.integer({ min: 1, max: 4 }), action, delayMs: fc.constantFrom(0, 3_000) }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('watches' as const),
        how: fc.constantFrom('cut' as const, 'freeze' as const, 'compact' as const, 'rewind' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('stale' as const), revisions: fc.constantFrom(0, 3, 15, 60) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('api-outage' as const), ms: fc.oneof(fc.nat(500), fc.nat(60_000)) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('node-gone' as const), ms: fc.oneof(fc.nat(500), fc.nat(60_000)) }),
    },
  ];
}
