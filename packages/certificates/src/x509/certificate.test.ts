import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { parseCertificate } from './certificate.ts';
import { createPrivateKeyPem } from './private-key.ts';
import { createSelfSigned } from './self-signed.ts';

const clock = createVirtualClock();
const { certificatePem, keyPem } = await createSelfSigned({ clock, random: seededRandom(1) }, 'node1');
const [leafPem = ''] = certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);

it('reads the leaf, its times, and the whole chain', () => {
  const found = parseCertificate(`comment\n${certificatePem}${keyPem}`, keyPem);
  expect(found.pair).toEqual({ certificatePem, keyPem });
  expect(found.leaf.subject).toBe('CN=node1@1767225600');
  expect(found.notBeforeMs).toBe(clock.now() - 3_600_000);
  expect(found.notAfterMs).toBe(clock.now() - 3_600_000 + 365 * 86_400_000);
});

it.each([
  ['there is no certificate (PEM)', '', keyPem],
  ['there is no certificate (PEM)', certificatePem.slice(0, 200), keyPem],
  ['there is no private key (PEM)', certificatePem, certificatePem],
  ['there is no private key (PEM)', certificatePem, keyPem.slice(0, 100)],
  ['the certificate is not valid', leafPem.replace('MII', 'MIA'), keyPem],
  ['the private key is not valid', certificatePem, keyPem.replace(/\n[^-]+\n/, '\nAAAA\n')],
  ['the private key is not that of the certificate', certificatePem, createPrivateKeyPem()],
])('reports: %s', (message, certificate, key) => {
  expect(() => parseCertificate(certificate, key)).toThrow(
    expect.objectContaining({ name: 'CertificateError', message }) as Error,
  );
});
