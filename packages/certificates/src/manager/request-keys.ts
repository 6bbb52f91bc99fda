import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { NodeFiles } from '@rxlet/node-files';
import type { CertificateSubject } from '../x509/certificate-subject.ts';
import { createPrivateKeyPem, isPrivateKeyPem, isRsaKey, publicKeyOf } from '../x509/private-key.ts';

/** Source of the private keys for which certificates are requested. */
export interface RequestKeys {
  /** Returns the key of the next request, and the name of the object; without one, the API server generates it. */
  next(subject: CertificateSubject): Promise<{ readonly keyPem: string; readonly requestName?: string | undefined }>;
  /** The certificate of the key is stored. */
  onStored?(): Promise<void>;
}

/** A new key for each request. */
export const newKeys: RequestKeys = { next: async () => ({ keyPem: createPrivateKeyPem() }) };

const MAX_BYTES = 64 * 1024;

/**
 * Creates keys of a node without rotation: one key is kept in a file until its certificate is stored, and its requests have one name. An agent that starts again finds its
 * request, instead of leaving one for each start.
 */
export function createKeptKeys(files: NodeFiles, path: string, extendedUsage: string): RequestKeys {
  return {
    async next(subject) {
      const kept = await files.readPrivate(path, MAX_BYTES);
      if (kept !== undefined && isPrivateKeyPem(kept))
        return { keyPem: kept, requestName: requestName(kept, subject, extendedUsage) };
      const keyPem = createPrivateKeyPem();
      await files.makeDirectory(dirname(path), 0o755);
      await files.replaceFile(path, keyPem, 0o600);
      return { keyPem, requestName: requestName(keyPem, subject, extendedUsage) };
    },
    onStored: () => files.removeFile(path),
  };
}

/** Returns the name of a request: a digest of key, subject and usages, as the kubelet's. */
function requestName(keyPem: string, { commonName, organizations }: CertificateSubject, extendedUsage: string): string {
  const hash = createHash('sha512-256');
  const usages = ['digital signature', extendedUsage, ...(isRsaKey(keyPem) ? ['key encipherment'] : [])];
  for (const part of [
    publicKeyOf(keyPem),
    ...[commonName, ...organizations, ...usages].map((text) => Buffer.from(text)),
  ])
    hash.update(`${Buffer.from(part).toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}
