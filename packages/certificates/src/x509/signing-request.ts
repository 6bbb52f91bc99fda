import { alternativeNames, decoded, distinguishedName, oid, pem, sequence, signed } from './der.ts';
import type { CertificateSubject } from './certificate-subject.ts';
import { publicKeyOf } from './private-key.ts';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** Creates a certificate signing request (PKCS #10) as PEM. */
export async function createSigningRequest(keyPem: string, subject: CertificateSubject): Promise<string> {
  const asn1 = await import('asn1js');
  const extensions = alternativeNames(asn1, subject);
  const requested =
    extensions.length === 0
      ? []
      : [sequence(asn1, [oid(asn1, EXTENSION_REQUEST), new asn1.Set({ value: [sequence(asn1, extensions)] })])];
  const content = sequence(asn1, [
    new asn1.Integer({ value: 0 }),
    distinguishedName(asn1, subject),
    decoded(asn1, publicKeyOf(keyPem)),
    new asn1.Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: requested }),
  ]);
  return pem('CERTIFICATE REQUEST', signed(asn1, content, keyPem));
}
