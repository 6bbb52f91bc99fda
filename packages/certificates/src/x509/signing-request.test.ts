import { generateKeyPairSync } from 'node:crypto';
import { systemClock, systemRandom } from '@rxlet/component-base';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import { expect, it } from 'vitest';
import { parseCertificate } from './certificate.ts';
import { createPrivateKeyPem } from './private-key.ts';
import { createSigningRequest } from './signing-request.ts';

const rsa = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;

// Another implementation of X.509 checks the signature, and reads the names.
it.each([
  ['ECDSA', createPrivateKeyPem],
  ['RSA', rsa],
])('a request by a key of %s is signed with its names', async (_, createKey) => {
  const keyPem = createKey();
  const subject = {
    commonName: 'system:node:n_1',
    organizations: ['system:nodes', 'größer'],
    dnsNames: ['node1', 'a.example'],
    ipAddresses: ['10.0.0.7', 'fd00::7'],
  };
  const authority = await createCertificateAuthority({ clock: systemClock, random: systemRandom });
  const signed = await authority.sign(await createSigningRequest(keyPem, subject), ['server auth']);
  const { leaf } = parseCertificate(signed, keyPem);
  expect(leaf.toLegacyObject().subject).toEqual({ O: ['system:nodes', 'größer'], CN: 'system:node:n_1' });
  expect(leaf.subjectAltName).toBe('DNS:node1, DNS:a.example, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:7');
});
