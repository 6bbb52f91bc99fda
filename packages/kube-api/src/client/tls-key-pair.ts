/** A certificate and its private key. */
export interface TlsKeyPair {
  /** The certificate, followed by those of intermediate authorities, as PEM. */
  readonly certificatePem: string;
  /** The private key, as PEM. */
  readonly keyPem: string;
}
