import type { Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { checkClaim } from './check-claim.ts';

const POD: Pod = { metadata: { name: 'web', namespace: 'ns', uid: 'p1' } };
const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'p1', controller: true };
const resultOf = (driver: string) => ({ driver, request: 'r', pool: 'pool', device: 'd' });

function claimWith(
  metadata: ResourceV1ResourceClaim['metadata'] = {},
  status: ResourceV1ResourceClaim['status'] = {},
): ResourceV1ResourceClaim {
  const results = [resultOf('one'), resultOf('two'), resultOf('one')];
  return {
    metadata: { name: 'x', namespace: 'ns', uid: 'c1', ...metadata },
    spec: {},
    status: {
      reservedFor: [{ resource: 'pods', name: 'web', uid: 'p1' }],
      allocation: { devices: { results } },
      ...status,
    },
  };
}

describe('checkClaim', () => {
  it('returns each driver once', () => {
    expect(checkClaim(POD, { name: 'x', isGenerated: false }, claimWith())).toEqual(['one', 'two']);
    const owned = claimWith({ ownerReferences: [OWNER] });
    expect(checkClaim(POD, { name: 'x', isGenerated: true }, owned)).toEqual(['one', 'two']);
  });

  it('treats admin access like any other', () => {
    const devices = { results: [{ ...resultOf('one'), adminAccess: true }] };
    const claim = claimWith({}, { allocation: { devices } });
    expect(checkClaim(POD, { name: 'x', isGenerated: false }, claim)).toEqual(['one']);
  });

  it.each<[string, boolean, ResourceV1ResourceClaim, string]>([
    [
      'is not reserved for the pod',
      false,
      claimWith({}, { reservedFor: [{ resource: 'pods', name: 'web', uid: 'p0' }] }),
      'pod web (p1) is not allowed to use ResourceClaim x (c1)',
    ],
    [
      'is reserved for no pod',
      false,
      claimWith({}, { reservedFor: undefined! }),
      'pod web (p1) is not allowed to use ResourceClaim x (c1)',
    ],
    ['is not allocated', false, claimWith({}, { allocation: undefined! }), 'ResourceClaim x: not allocated'],
    [
      'another pod owns',
      true,
      claimWith({ ownerReferences: [{ ...OWNER, uid: 'p0' }] }),
      'ResourceClaim ns/x was not created for Pod ns/web (Pod is not owner)',
    ],
    [
      'no controller owns',
      true,
      claimWith({ ownerReferences: [{ ...OWNER, controller: false }] }),
      'ResourceClaim ns/x was not created for Pod ns/web (Pod is not owner)',
    ],
    [
      'is in another namespace',
      true,
      claimWith({ namespace: 'other', ownerReferences: [OWNER] }),
      'ResourceClaim other/x is not in the same namespace as Pod ns/web',
    ],
  ])('rejects a claim that %s', (_title, isGenerated, claim, message) => {
    expect(() => checkClaim(POD, { name: 'x', isGenerated }, claim)).toThrow(new Error(message));
  });
});
