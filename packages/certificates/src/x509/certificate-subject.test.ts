import type { NodeAddress } from '@rxlet/kube-api';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { parseCertificate } from './certificate.ts';
import { hasSubject, servingSubject } from './certificate-subject.ts';
import { createSelfSigned } from './self-signed.ts';

const addresses: readonly NodeAddress[] = [
  { type: 'InternalIP', address: '10.0.0.7' },
  { type: 'Hostname', address: 'node1' },
  { type: 'ExternalIP', address: '192.0.2.1' },
  { type: 'InternalIP', address: '10.0.0.7' },
  { type: 'InternalIP', address: 'fd00::7' },
  { type: 'ExternalDNS', address: 'a.example' },
  { type: 'InternalDNS', address: '10.0.0.9' },
  { type: 'InternalIP', address: 'no-address' },
  { type: 'InternalIP', address: 'fe80::1%eth0' },
  { type: 'Hostname', address: '' },
];

describe('the subject of a serving certificate', () => {
  it('has every name and address once, sorted', () => {
    expect(servingSubject('node1', addresses, false)).toEqual({
      commonName: 'system:node:node1',
      organizations: ['system:nodes'],
      dnsNames: ['10.0.0.9', 'a.example', 'node1'],
      ipAddresses: ['10.0.0.7', '192.0.2.1', 'fd00::7'],
    });
  });

  it('takes a host name that is an address for one', () => {
    const subject = servingSubject('node1', [{ type: 'Hostname', address: '10.0.0.7' }], false);
    expect(subject).toMatchObject({ dnsNames: [], ipAddresses: ['10.0.0.7'] });
  });

  it('needs an address, or a name where that is allowed', () => {
    const named: readonly NodeAddress[] = [{ type: 'Hostname', address: 'node1' }];
    expect(servingSubject('node1', named, false)).toBeUndefined();
    expect(servingSubject('node1', named, true)).toMatchObject({ dnsNames: ['node1'], ipAddresses: [] });
    expect(servingSubject('node1', [], true)).toBeUndefined();
  });
});

describe('hasSubject', () => {
  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['node1', ['node1'], [], true],
    ['node1', [], [], true],
    ['node1', ['node2'], [], false],
    ['node1', [], ['10.0.0.7'], false],
    ['fd00::7', [], ['fd00:0::0:7'], true],
    ['fd00::7', [], ['fd00::8'], false],
    ['::ffff:10.0.0.7', [], ['::ffff:a00:7'], true],
  ])(
    'finds in the certificate of %s the names %j and the addresses %j: %s',
    async (host, dnsNames, ipAddresses, has) => {
      const clock = createVirtualClock();
      const pair = await createSelfSigned({ clock, random: seededRandom(1) }, host);
      const certificate = parseCertificate(pair.certificatePem, pair.keyPem);
      const commonName = `${host}@${String(clock.now() / 1000)}`;
      expect(hasSubject(certificate, { commonName, organizations: [], dnsNames, ipAddresses })).toBe(has);
      expect(hasSubject(certificate, { commonName: 'other', organizations: [], dnsNames, ipAddresses })).toBe(false);
      expect(hasSubject(certificate, { commonName, organizations: ['o'], dnsNames, ipAddresses })).toBe(false);
    },
  );
});
