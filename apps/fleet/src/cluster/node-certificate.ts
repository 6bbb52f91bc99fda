import type { CertificateAuthority } from '@rxlet/fake-kube';
import type { TlsKeyPair } from '@rxlet/kube-api/client';

const LIFETIME_MS = 365 * 86_400_000;

/** Issues the certificate of the API of all nodes. API servers verify it only with `--kubelet-certificate-authority`. */
export function issueNodeCertificate(
  authority: Pick<CertificateAuthority, 'issue'>,
  address = '127.0.0.1',
): Promise<TlsKeyPair> {
  const subject = { commonName: 'system:node:rxlet-fleet', organizations: ['system:nodes'], hosts: [address] };
  return authority.issue({ ...subject, usages: ['server auth'], lifetimeMs: LIFETIME_MS });
}
