import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { applyStrategicMerge, sameValue } from '@rxlet/kube-api/strategic-merge';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnedCondition } from '../condition-types.ts';
import { arbitraryConditions, arbitraryStatus } from '../test-support/arbitrary-pods.ts';
import { podStatusPatch, statusPatch } from './status-patch.ts';

const shape = { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' } as const;
const apply = (old: PodStatus, patch: ReturnType<typeof statusPatch>): PodStatus =>
  applyStrategicMerge({ ...old }, patch?.status ?? {}, shape);
const condition = (type: string, status: string, more: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status,
  ...more,
});

describe('statusPatch', () => {
  it('contains the changed fields of a condition and the order of all conditions', () => {
    const at = (lastTransitionTime: string) => ({ lastTransitionTime });
    const old: PodStatus = {
      phase: 'Pending',
      conditions: [
        condition('Initialized', 'True', at('2026-01-01T00:00:00Z')),
        condition('Ready', 'False', { ...at('2026-01-01T00:00:00Z'), reason: 'ContainersNotReady', message: 'no' }),
      ],
    };
    const next: PodStatus = {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [old.conditions![0]!, condition('Ready', 'True', at('2026-01-01T00:00:05Z'))],
    };
    expect(statusPatch(old, next)).toEqual({
      status: {
        phase: 'Running',
        podIP: '10.0.0.1',
        podIPs: [{ ip: '10.0.0.1' }],
        '$setElementOrder/conditions': [{ type: 'Initialized' }, { type: 'Ready' }],
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z', reason: null, message: null },
        ],
      },
    });
  });

  it('has the UID of the pod, and is undefined without changes', () => {
    const old: PodStatus = { phase: 'Pending', conditions: [condition('Ready', 'False')], resources: {} };
    expect(podStatusPatch('uid', old, { ...old, phase: 'Running' })).toEqual({
      metadata: { uid: 'uid' },
      status: { phase: 'Running' },
    });
    expect(podStatusPatch('uid', old, { ...old, hostIPs: [] })).toBeUndefined();
    // The API shows unset times as null.
    const fromApi = { ...old, conditions: [{ ...old.conditions![0]!, lastProbeTime: null as unknown as string }] };
    expect(statusPatch(fromApi, old)).toBeUndefined();
  });

  it('removes conditions and fields of the node, and keeps those of other writers', () => {
    const old: PodStatus = {
      nominatedNodeName: 'other',
      conditions: [
        condition('example.com/gate', 'True'),
        condition('PodResizePending', 'True'),
        condition('Ready', 'True'),
      ],
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
      reason: 'Old',
    };
    const next: PodStatus = {
      conditions: [
        condition('example.com/gate', 'False'),
        condition('example.com/new', 'True'),
        condition('Ready', 'True'),
      ],
      podIPs: [{ ip: '10.0.0.1' }],
    };
    expect(statusPatch(old, next)).toEqual({
      status: {
        '$setElementOrder/conditions': [{ type: 'example.com/gate' }, { type: 'Ready' }],
        conditions: [{ $patch: 'delete', type: 'PodResizePending' }],
        '$setElementOrder/podIPs': [{ ip: '10.0.0.1' }],
        podIPs: [{ $patch: 'delete', ip: 'fd00::1' }],
        reason: null,
      },
    });
  });

  it('keeps a disruption, which other writers may have set', () => {
    const old: PodStatus = { conditions: [condition('DisruptionTarget', 'True', { reason: 'PreemptionByScheduler' })] };
    expect(statusPatch(old, { conditions: [] })).toBeUndefined();
  });

  it('writes conditions of the owned types', () => {
    const patch = statusPatch({}, { conditions: [condition('Ready', 'True'), condition('x', 'True')] }, new Set(['x']));
    expect(patch).toEqual({ status: { conditions: [{ lastProbeTime: null, ...condition('x', 'True') }] } });
  });

  it('reports once that a pod has no resources', () => {
    const next: PodStatus = { phase: 'Running', resources: {} };
    expect(statusPatch({ phase: 'Pending' }, next)).toEqual({ status: next });
    expect(statusPatch({ phase: 'Pending', resources: {} }, next)).toEqual({ status: { phase: 'Running' } });
    expect(statusPatch({ phase: 'Running' }, next)).toBeUndefined();
  });

  it('replaces the list of container statuses', () => {
    const container = { name: 'a', image: 'i', imageID: '', ready: false, restartCount: 0, state: { waiting: {} } };
    const next = [{ ...container, ready: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }];
    expect(statusPatch({ containerStatuses: [container] }, { containerStatuses: next })).toEqual({
      status: { containerStatuses: next },
    });
  });

  it('yields the wanted status when applied, with everything of other writers', () => {
    fc.assert(
      fc.property(arbitraryStatus, arbitraryStatus, (old, next) => {
        const patched = apply(old, statusPatch(old, next));
        const owned = (list: readonly PodCondition[] = []): PodCondition[] =>
          list.filter(({ type }) => isOwnedCondition(type));
        const foreign = (list: readonly PodCondition[] = []): PodCondition[] =>
          list.filter(({ type }) => !isOwnedCondition(type) && type !== 'DisruptionTarget');

        expect(sameValue(owned(patched.conditions), owned(next.conditions))).toBe(true);
        expect(new Set(foreign(patched.conditions))).toEqual(new Set(foreign(old.conditions)));
        const { conditions: _, nominatedNodeName, resourceClaimStatuses, ...rest } = patched;
        const { conditions: __, nominatedNodeName: ___, resourceClaimStatuses: ____, ...wanted } = next;
        expect(sameValue(rest, wanted), JSON.stringify([rest, wanted])).toBe(true);
        expect([nominatedNodeName, resourceClaimStatuses]).toEqual([old.nominatedNodeName, old.resourceClaimStatuses]);
        expect(statusPatch(patched, next)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps concurrent changes of other writers', () => {
    const isForeign = ({ type }: PodCondition): boolean => !isOwnedCondition(type) && type !== 'DisruptionTarget';
    const byType = (list: readonly PodCondition[] = []): unknown => new Map(list.map((item) => [item.type, item]));
    fc.assert(
      fc.property(arbitraryStatus, arbitraryStatus, arbitraryConditions, (old, next, others) => {
        const own = (old.conditions ?? []).filter((item) => !isForeign(item));
        const changed: PodStatus = {
          ...old,
          conditions: [...others.filter(isForeign), ...own],
          nominatedNodeName: 'elsewhere',
          resourceClaimStatuses: [{ name: 'claim', resourceClaimName: 'y' }],
        };
        const patched = apply(changed, statusPatch(old, next));
        expect(byType(patched.conditions?.filter(isForeign))).toEqual(byType(others.filter(isForeign)));
        expect(byType(patched.conditions?.filter(({ type }) => isOwnedCondition(type)))).toEqual(
          byType(next.conditions?.filter(({ type }) => isOwnedCondition(type))),
        );
        expect(patched).toMatchObject({
          nominatedNodeName: 'elsewhere',
          resourceClaimStatuses: changed.resourceClaimStatuses!,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('lists items in the order of $setElementOrder, as the API server requires', () => {
    fc.assert(
      fc.property(arbitraryStatus, arbitraryStatus, (old, next) => {
        const status = statusPatch(old, next)?.status ?? {};
        for (const [list, key] of [
          ['conditions', 'type'],
          ['podIPs', 'ip'],
          ['hostIPs', 'ip'],
        ] as const) {
          const keysOf = (items: unknown): unknown[] =>
            ((items ?? []) as Record<string, unknown>[])
              .filter((item) => item['$patch'] === undefined)
              .map((item) => item[key]);
          const order = keysOf(status[`$setElementOrder/${list}`]);
          const items = keysOf(status[list]);
          if (order.length > 0) expect(order.filter((item) => items.includes(item))).toEqual(items);
        }
      }),
      { numRuns: 500 },
    );
  });
});
