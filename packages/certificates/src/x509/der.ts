import { createPrivateKey, sign } from 'node:crypto';
import type * as asn1js from 'asn1js';
import type { BaseBlock } from 'asn1js';
import { isRsaKey } from './private-key.ts';
import type { CertificateSubject } from './certificate-subject.ts';
import { isIP, SocketAddress } from 'node:net';

/** The library is loaded by those that create something: an agent with valid certificates does without. */
export type Asn1 = typeof asn1js;

/** Characters of the ASN.1 type PrintableString. */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const OID = { organization: '2.5.4.10', commonName: '2.5.4.3', subjectAltName: '2.5.29.17' } as const;

export function sequence({ Sequence }: Asn1, value: readonly BaseBlock[]): BaseBlock {
  return new Sequence({ value: [...value] });
}

export function oid({ ObjectIdentifier }: Asn1, value: string): BaseBlock {
  return new ObjectIdentifier({ value });
}

/** Returns a name with the organizations first, as Go writes it. */
export function distinguishedName(
  asn1: Asn1,
  { organizations, commonName }: Pick<CertificateSubject, 'organizations' | 'commonName'>,
): BaseBlock {
  const text = (value: string): BaseBlock =>
    PRINTABLE.test(value) ? new asn1.PrintableString({ value }) : new asn1.Utf8String({ value });
  const attribute = (type: string, value: string): BaseBlock => sequence(asn1, [oid(asn1, type), text(value)]);
  const sets = [
    organizations.map((name) => attribute(OID.organization, name)),
    commonName === '' ? [] : [attribute(OID.commonName, commonName)],
  ];
  return sequence(
    asn1,
    sets.filter((set) => set.length > 0).map((value) => new asn1.Set({ value })),
  );
}

/** Returns an extension of a certificate. */
export function extension(asn1: Asn1, id: string, value: BaseBlock, isCritical = false): BaseBlock {
  const critical = isCritical ? [new asn1.Boolean({ value: true })] : [];
  return sequence(asn1, [oid(asn1, id), ...critical, new asn1.OctetString({ valueHex: value.toBER() })]);
}

/** Returns the extension with the names and addresses of a server; none without any. */
export function alternativeNames(
  asn1: Asn1,
  { dnsNames, ipAddresses }: Pick<CertificateSubject, 'dnsNames' | 'ipAddresses'>,
): readonly BaseBlock[] {
  const tagged = (tagNumber: number, bytes: Uint8Array): BaseBlock =>
    new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex: new Uint8Array(bytes).buffer });
  const names = [
    ...dnsNames.map((name) => tagged(2, Buffer.from(name))),
    ...ipAddresses.map((ip) => tagged(7, ipBytes(ip))),
  ];
  return names.length === 0 ? [] : [extension(asn1, OID.subjectAltName, sequence(asn1, names))];
}

/** Returns a structure with its signature: a certificate, or a request for one. */
export function signed(asn1: Asn1, content: BaseBlock, keyPem: string): Uint8Array {
  const signature = sign('sha256', Buffer.from(content.toBER()), createPrivateKey(keyPem));
  const bits = new asn1.BitString({ valueHex: new Uint8Array(signature).buffer });
  return Buffer.from(sequence(asn1, [content, signatureAlgorithm(asn1, keyPem), bits]).toBER());
}

/** Returns the identifier of the algorithm with which a key signs. */
export function signatureAlgorithm(asn1: Asn1, keyPem: string): BaseBlock {
  return isRsaKey(keyPem)
    ? sequence(asn1, [oid(asn1, '1.2.840.113549.1.1.11'), new asn1.Null()])
    : sequence(asn1, [oid(asn1, '1.2.840.10045.4.3.2')]);
}

/** Returns the structure that bytes encode. */
export function decoded({ fromBER }: Asn1, bytes: Uint8Array): BaseBlock {
  return fromBER(new Uint8Array(bytes)).result;
}

export function pem(type: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}

function ipBytes(ip: string): Uint8Array {
  if (isIP(ip) === 4) return Uint8Array.from(ip.split('.').map(Number));
  // The normal form has no zone and no embedded IPv4 address but in ::ffff:0:0/96.
  const { address } = new SocketAddress({ address: ip, family: 'ipv6' });
  const v4 = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high: string, low: string): string => ((Number(high) << 8) | Number(low)).toString(16);
  const text = v4 === null ? address : `${v4[1]!}${hex(v4[2]!, v4[3]!)}:${hex(v4[4]!, v4[5]!)}`;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => part.split(':').filter(Boolean);
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
