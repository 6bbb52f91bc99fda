import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createClaimRecords } from '../claims/claim-record.ts';
import { testDevice } from '../testing/test-dra-plugin.ts';
import { claimHealth } from './claim-health.ts';

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
        testDevice('one', 'd0', { requestNames: ['r0'], cdiDeviceIds: ['one/d=0', 'one/e=0'] }),
        testDevice('one', 'd1', { requestNames: ['r1'], cdiDeviceIds: ['one/d=0'] }),
        testDevice('one', 'd2', { requestNames: ['r1'], cdiDeviceIds: [] }),
      ],
    ],
  ]),
  isPrepared: true,
});

function healthWith(...claims: readonly { readonly name: string; readonly request?: string }[]) {
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'ns' },
    spec: {
      containers: [{ name: 'app', resources: { claims } }],
      resourceClaims: [
        { name: 'a', resourceClaimName: 'x' },
        { name: 'b', resourceClaimTemplateName: 't' },
        { name: 'c', resourceClaimName: 'unknown' },
      ],
    },
  };
  return claimHealth(records, pod, 'app', (driver, { deviceName }) =>
    deviceName === 'd0' ? { health: 'Unhealthy', message: `${driver} is hot` } : { health: 'Healthy', message: '' },
  );
}

describe('claimHealth', () => {
  it('names devices by their first CDI name, or by driver, pool and device, each once', () => {
    expect(healthWith({ name: 'a' })).toEqual([
      {
        name: 'claim:a',
        resources: [
          { resourceID: 'one/d=0', health: 'Unhealthy', message: 'one is hot' },
          { resourceID: 'one/pool/d2', health: 'Healthy' },
        ],
      },
    ]);
  });

  it('has an entry for each request', () => {
    expect(healthWith({ name: 'a', request: 'r0' }, { name: 'a', request: 'r1' })).toEqual([
      { name: 'claim:a/r0', resources: [{ resourceID: 'one/d=0', health: 'Unhealthy', message: 'one is hot' }] },
      {
        name: 'claim:a/r1',
        resources: [
          { resourceID: 'one/d=0', health: 'Healthy' },
          { resourceID: 'one/pool/d2', health: 'Healthy' },
        ],
      },
    ]);
  });

  it('has no entry for claims that do not exist, are not prepared, or have no such devices', () => {
    expect(healthWith({ name: 'b' }, { name: 'c' }, { name: 'd' }, { name: 'a', request: 'r9' })).toEqual([]);
  });

  it('looks at each claim of the pod once, however many a container uses', () => {
    let reads = 0;
    const names = Array.from({ length: 100 }, (_, index) => `c${String(index)}`);
    const resourceClaims = names.map((name) => ({
      get name() {
        reads += 1;
        return name;
      },
      resourceClaimName: 'x',
    }));
    const claims = names.map((name) => ({ name }));
    const pod: Pod = {
      metadata: { namespace: 'ns' },
      spec: { containers: [{ name: 'app', resources: { claims } }], resourceClaims },
    };
    const found = claimHealth(records, pod, 'app', () => ({ health: 'Healthy', message: '' }));
    expect(found).toHaveLength(100);
    // Once for its key, once for its claim.
    expect(reads).toBeLessThanOrEqual(200);
  });
});
