import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TlsKeyPair } from '@rxlet/kube-api/client';

/** A certificate with its private key, checked. */
export interface Certificate {
  readonly pair: TlsKeyPair;
  /** The first certificate of the pair, without those of intermediate authorities. */
  readonly leaf: X509Certificate;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Certificates or a key that cannot be used. The message quotes none of them. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]+-----END (?:[A-Z]+ )?PRIVATE KEY-----/;

/** Reads a certificate and its key from PEM; both may be in one text. @throws CertificateError when they cannot be used, or do not belong together */
export function parseCertificate(certificateText: string, keyText: string): Certificate {
  const blocks = certificateText.match(CERTIFICATES);
  if (blocks === null) throw new CertificateError('there is no certificate (PEM)');
  const begun = certificateText.split(BEGIN_CERTIFICATE).length - 1;
  if (begun > blocks.length) throw new CertificateError('a certificate (PEM) is not complete');
  const keyPem = PRIVATE_KEY.exec(keyText)?.[0];
  if (keyPem === undefined) throw new CertificateError('there is no private key (PEM)');
  const leaf = readable('certificate', () => new X509Certificate(blocks[0]));
  const key = readable('private key', () => createPrivateKey(keyPem));
  if (!leaf.checkPrivateKey(key)) throw new CertificateError('the private key is not that of the certificate');
  return {
    pair: { certificatePem: blocks.map((block) => `${block}\n`).join(''), keyPem: `${keyPem}\n` },
    leaf,
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
  };
}

function readable<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CertificateError(`the ${subject} is not valid`, { cause: error });
  }
}
