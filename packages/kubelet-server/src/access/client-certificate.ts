import { X509Certificate, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@rxlet/component-base';
import type { Identity } from './identity.ts';

/** Certificate authorities of clients. */
export interface TrustedAuthorities {
  /** Reports whether a certificate is one of them, by its bytes. */
  has(der: Uint8Array): boolean;
}

/** Identity of a client by its certificate; `undefined` when it has none, or one without a name. */
export type CertificateOwner = Identity | 'invalid' | undefined;

/**
 * Returns the identity of a client with a certificate of a trusted authority: the common name and the organizations. The certificate was verified in the handshake;
 * what may have changed since then is verified with each request: its period of validity, and whether the authority is still trusted.
 *
 * @param onCertificate called with the remaining validity of every certificate, valid or not, in milliseconds
 */
export function identityOfCertificate(
  { socket }: IncomingMessage,
  authorities: TrustedAuthorities,
  clock: Clock,
  onCertificate: (remainingMs: number) => void = () => undefined,
): CertificateOwner {
  const tls = socket as TLSSocket;
  if (tls.encrypted !== true) return undefined;
  const peer = tls.getPeerCertificate(true);
  if (!(peer.raw instanceof Uint8Array) || peer.raw.length === 0) return undefined;
  const certificate = new X509Certificate(peer.raw);
  const nowMs = clock.now();
  onCertificate(certificate.validToDate.getTime() - nowMs);
  if (!tls.authorized) return 'invalid';
  if (certificate.validFromDate.getTime() > nowMs || certificate.validToDate.getTime() < nowMs) return 'invalid';
  if (!hasTrustedAnchor(peer, authorities)) return 'invalid';
  const { CN: commonName, O: organizations } = certificate.toLegacyObject().subject as Readonly<
    Record<string, string | readonly string[] | undefined>
  >;
  const name = listOf(commonName).at(-1) ?? '';
  if (name === '') return undefined;
  const hash = createHash('sha256').update(peer.raw).digest('hex');
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash}`] };
  return { name, groups: listOf(organizations), extra };
}

/** A certificate of a chain, as Node represents it. */
interface ChainLink {
  readonly raw?: Uint8Array;
  readonly issuerCertificate?: ChainLink;
}

/** Longest chain. */
const MAX_CHAIN = 10;

/** Reports whether the chain of a verified certificate has one of the authorities that are trusted now. */
function hasTrustedAnchor(leaf: ChainLink, authorities: TrustedAuthorities): boolean {
  let link: ChainLink | undefined = leaf;
  for (let length = 0; link?.raw !== undefined && length < MAX_CHAIN; length += 1) {
    if (authorities.has(link.raw)) return true;
    if (link.issuerCertificate === link) return false;
    link = link.issuerCertificate;
  }
  return false;
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
