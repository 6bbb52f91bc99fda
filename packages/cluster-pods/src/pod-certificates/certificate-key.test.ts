import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificateKey } from './certificate-key.ts';

/** Splits a sequence of ASN.1 into the DER of its elements. */
function elements(sequence: Buffer): readonly Buffer[] {
  const contentAt = (at: number): readonly [number, number] => {
    const first = sequence[at + 1]!;
    if (first < 0x80) return [at + 2, first];
    const size = first & 0x7f;
    return [at + 2 + size, sequence.readUIntBE(at + 2, size)];
  };
  const found: Buffer[] = [];
  const [begin, length] = contentAt(0);
  for (let at = begin; at < begin + length;) {
    const [content, size] = contentAt(at);
    found.push(sequence.subarray(at, content + size));
    at = content + size;
  }
  return found;
}

describe('createCertificateKey', () => {
  it.each([
    ['RSA3072', 'rsa', 'sha256'],
    ['ECDSAP256', 'ec', 'sha256'],
    ['ECDSAP384', 'ec', 'sha384'],
    ['ECDSAP521', 'ec', 'sha512'],
    ['ED25519', 'ed25519', undefined],
  ])('proves that it has the key of type %s', async (keyType, asymmetricKeyType, hash) => {
    const { keyPem, stubRequest } = await createCertificateKey(keyType);
    expect(keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(createPrivateKey(keyPem).asymmetricKeyType).toBe(asymmetricKeyType);
    const [info, , signature] = elements(Buffer.from(stubRequest));
    const [version, subject, spki, attributes] = elements(info!);
    expect([version, subject, attributes].map((part) => part?.toString('hex'))).toEqual(['020100', '3000', 'a000']);
    const publicKey = createPublicKey({ key: spki!, type: 'spki', format: 'der' });
    expect(publicKey.equals(createPublicKey(keyPem))).toBe(true);
    const bits = signature!.subarray(signature!.indexOf(0, 2) + 1);
    expect(verify(hash, info!, publicKey, bits)).toBe(true);
  });

  it('rejects other types', async () => {
    for (const keyType of ['DSA', '', 'constructor'])
      await expect(createCertificateKey(keyType)).rejects.toThrow(`unknown key type "${keyType}"`);
  });
});
