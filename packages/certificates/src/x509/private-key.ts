import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** Creates a private key (ECDSA, P-256) as PEM. */
export function createPrivateKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }) as string;
}

/** Reports whether a text is a private key (PEM) that can sign. */
export function isPrivateKeyPem(text: string): boolean {
  try {
    return ['ec', 'rsa'].includes(createPrivateKey(text).asymmetricKeyType ?? '');
  } catch {
    return false;
  }
}

/** Reports whether a key is one of RSA, which can also encrypt other keys. */
export function isRsaKey(keyPem: string): boolean {
  return createPrivateKey(keyPem).asymmetricKeyType === 'rsa';
}

/** Returns the public key of a private key, in the form that certificates have (SubjectPublicKeyInfo, DER). */
export function publicKeyOf(keyPem: string): Uint8Array {
  return createPublicKey(keyPem).export({ type: 'spki', format: 'der' });
}
