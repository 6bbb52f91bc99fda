import { createCipheriv, createDecipheriv } from 'node:crypto';
import { CacheError } from './cache-error.ts';

/** Length of a key in bytes. */
export const KEY_BYTES = 32;
/** Length of a nonce in bytes. Each sealed content needs a nonce of its own. */
export const NONCE_BYTES = 12;
/** Length that sealing adds to a content, in bytes. */
export const SEAL_BYTES: number = 64;

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const HEADER = Buffer.from('rxlet offline cache 1\n');

/** Encrypts a content for the node of this name (AES-256-GCM). The header of the format and the name of the node are authenticated with it. */
export function seal(content: Uint8Array, key: Uint8Array, nonce: Uint8Array, nodeName: string): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(nodeName));
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([HEADER, nonce, cipher.getAuthTag(), encrypted]);
}

/** Decrypts what {@link seal} returned. @throws CacheError for anything else, and for the content of another key or node */
export function unseal(sealed: Uint8Array, key: Uint8Array, nodeName: string): Uint8Array {
  const bytes = Buffer.from(sealed);
  const nonceAt = HEADER.length;
  const tagAt = nonceAt + NONCE_BYTES;
  const contentAt = tagAt + TAG_BYTES;
  if (!bytes.subarray(0, nonceAt).equals(HEADER)) throw new CacheError('it is no offline cache of this version');
  if (bytes.length < contentAt) throw new CacheError('it is incomplete');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(nonceAt, tagAt), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(nodeName));
  decipher.setAuthTag(bytes.subarray(tagAt, contentAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(contentAt)), decipher.final()]);
  } catch {
    throw new CacheError('it is damaged, or was written by another node or with another key');
  }
}

function authenticated(nodeName: string): Buffer {
  return Buffer.concat([HEADER, Buffer.from(nodeName)]);
}
