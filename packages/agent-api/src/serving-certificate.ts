import type { CurrentValue } from '@rxlet/component-base/streams';
import { type ServiceKey, serviceKey } from './service-key.ts';

/**
 * Certificate that the node presents to clients of its own API (kubelet: serving certificate). The value is `undefined` while there is no valid certificate: TLS
 * handshakes must fail then. It changes when the certificate is renewed or its files change; connections that exist may stay.
 */
export const servingCertificate: ServiceKey<CurrentValue<TlsKeyPair | undefined>> = serviceKey('serving certificate');

/** A certificate and its private key. */
export interface TlsKeyPair {
  /** The certificate, followed by those of intermediate authorities, as PEM. */
  readonly certificatePem: string;
  /** The private key, as PEM. */
  readonly keyPem: string;
}
