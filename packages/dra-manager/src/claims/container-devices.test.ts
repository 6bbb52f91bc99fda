import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { testDevice } from '../testing/test-dra-plugin.ts';
import { assignedClaims } from './assigned-claims.ts';
import { createClaimRecords } from './claim-record.ts';
import { belongsToRequest, cdiDevicesOf } from './container-devices.ts';

const OPTIONS = { extendedResources: true };
const records = createClaimRecords();
records.add({
  uid: 'c1',
  namespace: 'ns',
  name: 'x',
  podUids: new Set(['p1']),
  drivers: new Map([
    [
      'one',
      [
        testDevice('one', 'd0', { requestNames: ['r0'], cdiDeviceIds: ['one/d=0', 'one/common=all'] }),
        testDevice('one', 'd1', { requestNames: ['r1'], cdiDeviceIds: ['one/d=1', 'one/common=all'], shareId: 's' }),
      ],
    ],
    ['two', [testDevice('two', 'd2', { cdiDeviceIds: ['two/d=2'] })]],
  ]),
  isPrepared: true,
});

function podWith(...claims: readonly { readonly name: string; readonly request?: string }[]): Pod {
  return {
    metadata: { name: 'web', namespace: 'ns', uid: 'p1' },
    spec: {
      containers: [{ name: 'app', resources: { claims } }],
      resourceClaims: [
        { name: 'a', resourceClaimName: 'x' },
        { name: 'b', resourceClaimName: 'missing' },
      ],
    },
  };
}

describe('belongsToRequest', () => {
  it.each([
    ['', ['r'], true],
    ['r', ['r'], true],
    ['r', ['s'], false],
    ['r', [], true],
    ['r/first', ['r'], true],
  ])('compares the request %j with %j', (request, requestNames, expected) => {
    expect(belongsToRequest({ requestNames }, request)).toBe(expected);
  });
});

describe('cdiDevicesOf', () => {
  const devicesOf = (pod: Pod) => cdiDevicesOf(records, pod, pod.spec!.containers[0]!, OPTIONS);

  it.each([
    ['a claim', podWith({ name: 'a' }), ['one/d=0', 'one/common=all', 'one/d=1', 'two/d=2']],
    ['a request', podWith({ name: 'a', request: 'r1' }), ['one/d=1', 'one/common=all', 'two/d=2']],
    [
      'two requests',
      podWith({ name: 'a', request: 'r1' }, { name: 'a', request: 'r0' }),
      ['one/d=1', 'one/common=all', 'two/d=2', 'one/d=0'],
    ],
    ['nothing', podWith(), []],
  ])('returns each device of %s once', (_title, pod, expected) => {
    expect(devicesOf(pod)).toEqual(expected);
  });

  it('throws for a claim that was never prepared', () => {
    expect(() => devicesOf(podWith({ name: 'b' }))).toThrow(
      'internal error: unable to get claim info for ResourceClaim missing in namespace ns',
    );
  });
});

describe('assignedClaims', () => {
  it('lists all devices of the claims that a container uses', () => {
    const [claim] = assignedClaims(records, podWith({ name: 'a', request: 'r1' }), 'app', OPTIONS);
    expect(claim).toMatchObject({ name: 'x', namespace: 'ns' });
    expect(claim?.devices.map((device) => `${device.driverName}/${device.deviceName}/${device.shareId ?? ''}`)).toEqual(
      ['one/d0/', 'one/d1/s', 'two/d2/'],
    );
  });

  it('lists nothing for a container with a claim that is not known, and for no container', () => {
    expect(assignedClaims(records, podWith({ name: 'a' }, { name: 'b' }), 'app', OPTIONS)).toEqual([]);
    expect(assignedClaims(records, podWith({ name: 'a' }), 'none', OPTIONS)).toEqual([]);
  });
});
