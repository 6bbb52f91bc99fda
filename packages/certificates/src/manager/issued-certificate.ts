import type { CertificateSigningRequest } from '@rxlet/kube-api';

/** Returns the certificate of a request, as PEM; `undefined` until it is approved and issued. @throws Error when there will be none */
export function certificateOf(request: CertificateSigningRequest, uid: string | undefined): string | undefined {
  const { metadata, status } = request;
  const name = metadata?.name ?? '';
  if (metadata?.uid !== uid) throw new Error(`the certificate signing request "${name}" was replaced by another one`);
  const conditions = status?.conditions ?? [];
  const rejection = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (rejection !== undefined) {
    const { type, reason = '', message = '' } = rejection;
    const outcome = type === 'Denied' ? 'is denied' : 'failed';
    throw new Error(`the certificate signing request "${name}" ${outcome}, reason: ${reason}, message: ${message}`);
  }
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  if (!isApproved || !status?.certificate) return undefined;
  return Buffer.from(status.certificate, 'base64').toString();
}
