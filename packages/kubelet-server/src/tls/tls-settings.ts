import { constants } from 'node:crypto';
import type { SecureContextOptions, SecureVersion } from 'node:tls';

/** Versions and cipher suites of TLS, by the names of KubeletConfiguration. */
export interface TlsSettings {
  /** `VersionTLS12` or another. Default: that. */
  readonly tlsMinVersion?: string | undefined;
  /** Names of the IANA. Those of TLS 1.3 cannot be chosen. Default: those of Go. */
  readonly tlsCipherSuites?: readonly string[] | undefined;
  /** Numbers of groups for the exchange of keys, as registered by the IANA, in order of preference. Default: those of Node.js. */
  readonly tlsCurvePreferences?: readonly number[] | undefined;
}

const VERSIONS: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

/** OpenSSL's names of the cipher suites that a kubelet knows. */
const CIPHERS: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
};

const TLS13_CIPHERS: readonly string[] = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];
/** Cipher suites with forward secrecy, of which Go's default consists. */
const DEFAULT_CIPHERS: readonly string[] = Object.entries(CIPHERS).flatMap(([name, cipher]) =>
  name.startsWith('TLS_ECDHE_') && !name.endsWith('_CBC_SHA256') ? [cipher] : [],
);

/** OpenSSL's names of the groups that a kubelet knows, by their numbers. */
const CURVES: Readonly<Record<number, string>> = {
  23: 'P-256',
  24: 'P-384',
  25: 'P-521',
  29: 'X25519',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
};

/** Not in Node's types. */
const { SSL_OP_NO_RENEGOTIATION: NO_RENEGOTIATION } = constants as unknown as {
  readonly SSL_OP_NO_RENEGOTIATION: number;
};

/** Reports the names that {@link tlsContextOptions} does not know: suites that Node's TLS does not have, such as those with RC4 or 3DES. */
export function unknownTlsNames({
  tlsMinVersion = '',
  tlsCipherSuites = [],
  tlsCurvePreferences = [],
}: TlsSettings): readonly string[] {
  const suites = tlsCipherSuites.filter((name) => !Object.hasOwn(CIPHERS, name) && !TLS13_CIPHERS.includes(name));
  const curves = tlsCurvePreferences.filter((id) => CURVES[id] === undefined).map(String);
  const versions = tlsMinVersion === '' || Object.hasOwn(VERSIONS, tlsMinVersion) ? [] : [tlsMinVersion];
  return [...versions, ...suites, ...curves];
}

/** Returns the options of a TLS server. */
export function tlsContextOptions({
  tlsMinVersion = '',
  tlsCipherSuites = [],
  tlsCurvePreferences = [],
}: TlsSettings): SecureContextOptions {
  const chosen = tlsCipherSuites.flatMap((name) => (Object.hasOwn(CIPHERS, name) ? [CIPHERS[name]!] : []));
  const curves = tlsCurvePreferences.flatMap((id) => CURVES[id] ?? []);
  const ciphers = [...TLS13_CIPHERS, ...new Set(chosen.length === 0 ? DEFAULT_CIPHERS : chosen)];
  return {
    minVersion: (Object.hasOwn(VERSIONS, tlsMinVersion) ? VERSIONS[tlsMinVersion] : undefined) ?? 'TLSv1.2',
    ciphers: ciphers.join(':'),
    honorCipherOrder: true,
    ...(curves.length > 0 && { ecdhCurve: curves.join(':') }),
    // A resumed session would keep a verdict about the client's certificate that a new list of authorities may not give.
    secureOptions: constants.SSL_OP_NO_TICKET | NO_RENEGOTIATION,
  };
}
