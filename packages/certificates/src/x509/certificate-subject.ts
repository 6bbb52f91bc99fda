import { isIP } from 'node:net';
import type { NodeAddress } from '@rxlet/kube-api';
import type { Certificate } from './certificate.ts';

/** Names that a certificate is requested for. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** Returns the subject of a node's certificates, as the authorizers of an API server expect it. */
export function nodeSubject(nodeName: string): CertificateSubject {
  return { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'], dnsNames: [], ipAddresses: [] };
}

/**
 * Returns the subject of a node's serving certificate: every address of the node, sorted. `undefined` for a node without an IP address, or, with `allowsDnsOnly` (feature
 * gate AllowDNSOnlyNodeCSR), without any name.
 */
export function servingSubject(
  nodeName: string,
  addresses: readonly NodeAddress[],
  allowsDnsOnly: boolean,
): CertificateSubject | undefined {
  const names = addresses.filter(({ address }) => address !== '');
  const isName = ({ type }: NodeAddress): boolean => ['Hostname', 'InternalDNS', 'ExternalDNS'].includes(type);
  const mayBeIp = ({ type }: NodeAddress): boolean => ['Hostname', 'InternalIP', 'ExternalIP'].includes(type);
  const isIpAddress = (each: NodeAddress): boolean =>
    mayBeIp(each) && isIP(each.address) !== 0 && !each.address.includes('%');
  const sorted = (found: readonly NodeAddress[]): string[] =>
    [...new Set(found.map(({ address }) => address))].sort((a, b) => (a < b ? -1 : 1));
  const ipAddresses = sorted(names.filter(isIpAddress));
  const dnsNames = sorted(names.filter((each) => isName(each) && !isIpAddress(each)));
  if (ipAddresses.length === 0 && !(allowsDnsOnly && dnsNames.length > 0)) return undefined;
  return { ...nodeSubject(nodeName), dnsNames, ipAddresses };
}

/** Reports whether a certificate has every name of a subject; it may have more. */
export function hasSubject({ leaf }: Certificate, subject: CertificateSubject): boolean {
  const { CN, O } = leaf.toLegacyObject().subject as { readonly CN?: string; readonly O?: string | readonly string[] };
  const organizations: readonly string[] = O === undefined ? [] : typeof O === 'string' ? [O] : O;
  const hasHost = (name: string): boolean => leaf.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
  return (
    CN === subject.commonName &&
    subject.organizations.every((name) => organizations.includes(name)) &&
    subject.dnsNames.every(hasHost) &&
    subject.ipAddresses.every((ip) => leaf.checkIP(ip) !== undefined)
  );
}

/** Reports whether two subjects have the same names. */
export function isSameSubject(a: CertificateSubject, b: CertificateSubject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
