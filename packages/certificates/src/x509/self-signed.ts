import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import type { Clock, Random } from '@rxlet/component-base';
import type { BaseBlock } from 'asn1js';
import {
  alternativeNames,
  type Asn1,
  decoded,
  distinguishedName,
  extension,
  oid,
  pem,
  sequence,
  signatureAlgorithm,
  signed,
} from './der.ts';
import { createPrivateKeyPem, publicKeyOf } from './private-key.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
/** Certificates are valid a little before their issue, for clocks that differ. */
const BACKDATE_MS = 3_600_000;
const ID = {
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyIdentifier: '2.5.29.14',
  authorityKeyIdentifier: '2.5.29.35',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;
/** Bits of the extension keyUsage, with the number of unused ones. */
const SIGN_CERTIFICATES = { bits: 0x84, unused: 2 };
const SIGN_DATA = { bits: 0x80, unused: 7 };

interface CertificateContent {
  readonly subject: string;
  readonly issuer: string;
  readonly keyPem: string;
  readonly signingKeyPem: string;
  readonly extensions: readonly BaseBlock[];
}

/**
 * Creates a serving certificate for a host, valid for a year, and the certificate of an authority that signed nothing else (client-go: GenerateSelfSignedCertKey). The
 * key of the authority is dropped. Unlike the kubelet's, keys are ECDSA P-256.
 */
export async function createSelfSigned(
  { clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
  host: string,
): Promise<TlsKeyPair> {
  const asn1 = await import('asn1js');
  const nowMs = clock.now();
  const seconds = String(Math.floor(nowMs / 1000));
  const [issuer, subject] = [`${host}-ca@${seconds}`, `${host}@${seconds}`];
  const [authorityKeyPem, keyPem] = [createPrivateKeyPem(), createPrivateKeyPem()];

  const create = (content: CertificateContent): string => {
    const body = sequence(asn1, [
      tagged(asn1, 0, [new asn1.Integer({ value: 2 })]),
      // A leading 1 keeps the number positive and its length fixed.
      new asn1.Integer({ valueHex: new Uint8Array(Buffer.from(`01${random.hex(8)}`, 'hex')).buffer }),
      signatureAlgorithm(asn1, content.signingKeyPem),
      distinguishedName(asn1, { organizations: [], commonName: content.issuer }),
      sequence(asn1, [time(asn1, nowMs - BACKDATE_MS), time(asn1, nowMs - BACKDATE_MS + YEAR_MS)]),
      distinguishedName(asn1, { organizations: [], commonName: content.subject }),
      decoded(asn1, publicKeyOf(content.keyPem)),
      tagged(asn1, 3, [sequence(asn1, content.extensions)]),
    ]);
    return pem('CERTIFICATE', signed(asn1, body, content.signingKeyPem));
  };

  const identifier = keyIdentifier(authorityKeyPem);
  const authorityPem = create({
    subject: issuer,
    issuer,
    keyPem: authorityKeyPem,
    signingKeyPem: authorityKeyPem,
    extensions: [
      extension(asn1, ID.keyUsage, keyUsage(asn1, SIGN_CERTIFICATES), true),
      extension(asn1, ID.basicConstraints, sequence(asn1, [new asn1.Boolean({ value: true })]), true),
      extension(asn1, ID.subjectKeyIdentifier, new asn1.OctetString({ valueHex: identifier })),
    ],
  });
  const certificatePem = create({
    subject,
    issuer,
    keyPem,
    signingKeyPem: authorityKeyPem,
    extensions: [
      extension(asn1, ID.keyUsage, keyUsage(asn1, SIGN_DATA), true),
      extension(asn1, ID.extendedKeyUsage, sequence(asn1, [oid(asn1, ID.serverAuth)])),
      extension(asn1, ID.basicConstraints, sequence(asn1, []), true),
      extension(
        asn1,
        ID.authorityKeyIdentifier,
        sequence(asn1, [new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber: 0 }, valueHex: identifier })]),
      ),
      ...alternativeNames(
        asn1,
        isIP(host) === 0 ? { dnsNames: [host], ipAddresses: [] } : { dnsNames: [], ipAddresses: [host] },
      ),
    ],
  });
  return { certificatePem: certificatePem + authorityPem, keyPem };
}

function tagged({ Constructed }: Asn1, tagNumber: number, value: readonly BaseBlock[]): BaseBlock {
  return new Constructed({ idBlock: { tagClass: 3, tagNumber }, value: [...value] });
}

/** RFC 5280: years before 2050 have two digits. */
function time({ GeneralizedTime, UTCTime }: Asn1, ms: number): BaseBlock {
  const valueDate = new Date(Math.floor(ms / 1000) * 1000);
  return valueDate.getUTCFullYear() < 2050 ? new UTCTime({ valueDate }) : new GeneralizedTime({ valueDate });
}

function keyUsage(
  { BitString }: Asn1,
  { bits, unused }: { readonly bits: number; readonly unused: number },
): BaseBlock {
  return new BitString({ valueHex: Uint8Array.of(bits).buffer, unusedBits: unused });
}

function keyIdentifier(keyPem: string): ArrayBuffer {
  const digest = createHash('sha256').update(publicKeyOf(keyPem)).digest().subarray(0, 20);
  return new Uint8Array(digest).buffer;
}
