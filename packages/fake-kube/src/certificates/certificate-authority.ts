// @peculiar/x509 needs it, and leaves the import to its users.
import 'reflect-metadata';
import { isIP } from 'node:net';
import { type Clock, type Random } from '@rxlet/component-base';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  PemConverter,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** A certificate to issue. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly usages: readonly ('client auth' | 'server auth')[];
  /** Default: one day. */
  readonly lifetimeMs?: number;
}

/** A certificate authority. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  /** Private key of the authority, as PEM. */
  readonly keyPem: string;
  /** Issues a certificate with a new key. */
  issue(subject: CertificateSubject): Promise<KeyPair>;
  /** Signs a request (PEM), with its subject, names and key. @returns the certificate as PEM */
  sign(requestPem: string, usages: readonly string[], lifetimeMs?: number): Promise<string>;
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A private key and its public key. */
interface Keys {
  readonly privateKey: Key;
  readonly publicKey: Key;
}

const DAY_MS = 86_400_000;
const AUTHORITY_LIFETIME_MS = 10 * 365 * DAY_MS;
/** Certificates are valid a little before their issue, for clocks that differ. */
const BACKDATE_MS = 300_000;
const KEYS = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const USAGES: Readonly<Record<string, string>> = {
  'client auth': '1.3.6.1.5.5.7.3.2',
  'server auth': '1.3.6.1.5.5.7.3.1',
};

/** Creates a {@link CertificateAuthority}, or opens the one whose certificate and key are given. */
export async function createCertificateAuthority(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  existing?: KeyPair,
): Promise<CertificateAuthority> {
  const keys = existing === undefined ? await newKeys() : await keysOf(existing);
  const validity = (lifetimeMs: number): { notBefore: Date; notAfter: Date } => ({
    notBefore: new Date(clock.now() - BACKDATE_MS),
    notAfter: new Date(clock.now() + lifetimeMs),
  });
  // A leading zero bit keeps the number positive.
  const serialNumber = (): string => `01${random.hex(15)}`;
  const root =
    existing === undefined
      ? await X509CertificateGenerator.createSelfSigned({
          serialNumber: serialNumber(),
          name: 'CN=fake-kube-ca',
          keys,
          signingAlgorithm: SIGNATURE,
          ...validity(AUTHORITY_LIFETIME_MS),
          extensions: [
            new BasicConstraintsExtension(true, undefined, true),
            new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
            await SubjectKeyIdentifierExtension.create(keys.publicKey),
          ],
        })
      : new X509Certificate(existing.certificatePem);

  const certify = async (
    subject: string,
    publicKey: PublicKey,
    usages: readonly string[],
    names: readonly Extension[],
    lifetimeMs: number,
  ): Promise<X509Certificate> =>
    X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: root.subject,
      publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: SIGNATURE,
      ...validity(lifetimeMs),
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension(usages.flatMap((usage) => USAGES[usage] ?? [])),
        await AuthorityKeyIdentifierExtension.create(root),
        ...names,
      ],
    });

  return {
    certificatePem: `${root.toString('pem')}\n`,
    keyPem: await keyPemOf(keys.privateKey),
    async issue({ commonName, organizations = [], hosts = [], usages, lifetimeMs = DAY_MS }) {
      const pair = await newKeys();
      const subject = [...organizations.map((name) => `O=${escaped(name)}`), `CN=${escaped(commonName)}`].join(', ');
      const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
      const extensions = names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)];
      const certificate = await certify(
        subject,
        await PublicKey.create(pair.publicKey),
        usages,
        extensions,
        lifetimeMs,
      );
      return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: await keyPemOf(pair.privateKey) };
    },
    async sign(requestPem, usages, lifetimeMs = DAY_MS) {
      const request = new Pkcs10CertificateRequest(requestPem);
      if (!(await request.verify())) throw new TypeError('the signature of the request is not valid');
      const names = request.extensions.filter((extension) => extension instanceof SubjectAlternativeNameExtension);
      const certificate = await certify(request.subject, request.publicKey, usages, names, lifetimeMs);
      return `${certificate.toString('pem')}\n`;
    },
  };
}

function newKeys(): Promise<Keys> {
  return crypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
}

async function keysOf({ certificatePem, keyPem }: KeyPair): Promise<Keys> {
  const privateKey = await crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(keyPem), KEYS, true, ['sign']);
  const spki = new X509Certificate(certificatePem).publicKey.rawData;
  const publicKey = await crypto.subtle.importKey('spki', spki, KEYS, true, ['verify']);
  return { privateKey, publicKey };
}

async function keyPemOf(key: Key): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** Escapes a value of a distinguished name. */
function escaped(value: string): string {
  return value.replace(/[,+"\\<>;=#]/g, String.raw`\$&`);
}
