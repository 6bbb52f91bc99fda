import type { CurrentValue } from '@rxlet/component-base/streams';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { type ServiceKey, serviceKey } from './service-key.ts';

/**
 * Certificate that the node presents to clients of its own API (kubelet: serving certificate). The value is `undefined` while there is no valid certificate: TLS
 * handshakes must fail then. It changes when the certificate is renewed or its files change; connections that exist may stay.
 */
export const servingCertificate: ServiceKey<CurrentValue<TlsKeyPair | undefined>> = serviceKey('serving certificate');
