import { generateKeyPair, type KeyObject, sign } from 'node:crypto';

/** A new private key, and the proof that it is this node's. */
export interface CertificateKey {
  /** PKCS #8 as PEM text. Must never be logged. */
  readonly keyPem: string;
  /** Signing request (PKCS #10, DER) without a subject. */
  readonly stubRequest: Uint8Array;
}

/** Creates a private key of a type of the API, such as `ED25519`. */
export type CreateCertificateKey = (keyType: string) => Promise<CertificateKey>;

interface KeyKind {
  generate(done: (error: Error | null, publicKey: KeyObject, privateKey: KeyObject) => void): void;
  /** Hash of signatures; ED25519 has its own. */
  readonly hash: string | undefined;
  /** Identifier of the signature's algorithm (DER). */
  readonly algorithm: readonly number[];
}

const ecdsa = (namedCurve: string, hash: string, last: number): KeyKind => ({
  generate: (done) => generateKeyPair('ec', { namedCurve }, done),
  hash,
  // ecdsa-with-SHA256, -SHA384 and -SHA512: 1.2.840.10045.4.3.2 to 4
  algorithm: [0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, last],
});

const rsa = (modulusLength: number): KeyKind => ({
  generate: (done) => generateKeyPair('rsa', { modulusLength }, done),
  hash: 'sha256',
  // sha256WithRSAEncryption: 1.2.840.113549.1.1.11, NULL
  algorithm: [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00],
});

const kinds: Readonly<Record<string, KeyKind>> = {
  RSA3072: rsa(3072),
  RSA4096: rsa(4096),
  ECDSAP256: ecdsa('P-256', 'sha256', 2),
  ECDSAP384: ecdsa('P-384', 'sha384', 3),
  ECDSAP521: ecdsa('P-521', 'sha512', 4),
  ED25519: {
    generate: (done) => generateKeyPair('ed25519', undefined, done),
    hash: undefined,
    // 1.3.101.112
    algorithm: [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70],
  },
};

/** Creates a {@link CertificateKey}. Rejects for a type that the API does not have. */
export const createCertificateKey: CreateCertificateKey = async (keyType) => {
  const kind = Object.hasOwn(kinds, keyType) ? kinds[keyType] : undefined;
  if (kind === undefined) throw new Error(`while generating keypair: unknown key type "${keyType}"`);
  const [publicKey, privateKey] = await new Promise<readonly [KeyObject, KeyObject]>((resolve, reject) => {
    kind.generate((error, ...keys) => (error === null ? resolve(keys) : reject(error)));
  });
  const info = der(0x30, [
    Buffer.from([0x02, 0x01, 0x00]),
    der(0x30, []),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa0, []),
  ]);
  const signature = sign(kind.hash, info, privateKey);
  const stubRequest = der(0x30, [info, Buffer.from(kind.algorithm), der(0x03, [Buffer.from([0x00]), signature])]);
  return { keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, stubRequest };
};

/** Returns a value of ASN.1 in DER. */
function der(tag: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const digits = content.length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const length = content.length < 0x80 ? [content.length] : [0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
