import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { type CertificateAuthority, createCertificateAuthority } from '@rxlet/fake-kube';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccessControl } from '../access/access-control.ts';
import { alwaysAllow } from '../access/authorizer.ts';
import { identityOfCertificate } from '../access/client-certificate.ts';
import { type ClientAuthorities, parseAuthorities } from './client-authorities.ts';
import { createHttpsListener } from './https-listener.ts';
import { tlsContextOptions, type TlsSettings, unknownTlsNames } from './tls-settings.ts';

const ports = { clock: systemClock, random: systemRandom };
const subject = { commonName: 'node1', hosts: ['localhost'], usages: ['server auth'] as const };
const jane = { commonName: 'jane', organizations: ['dev', 'ops'], usages: ['client auth'] as const };
const pair = (
  authority: CertificateAuthority,
  of: typeof jane | typeof subject,
  lifetimeMs?: number,
): Promise<TlsKeyPair> =>
  authority.issue({ ...of, usages: [...of.usages], ...(lifetimeMs !== undefined && { lifetimeMs }) });

let authority: CertificateAuthority;
let other: CertificateAuthority;
let serving: TlsKeyPair;
beforeAll(async () => {
  [authority, other] = await Promise.all([createCertificateAuthority(ports), createCertificateAuthority(ports)]);
  serving = await pair(authority, subject);
});

const disposables: AsyncDisposable[] = [];
const sockets: TLSSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of disposables.splice(0)) await one[Symbol.asyncDispose]();
});

/** Starts a server that answers with the client's name. */
async function start(tls: TlsSettings = {}) {
  const certificate = createCurrentValue<TlsKeyPair | undefined>(serving);
  const clientAuthorities = createCurrentValue<ClientAuthorities>(parseAuthorities(authority.certificatePem));
  const lifetimesMs: number[] = [];
  const ownerOf = (message: IncomingMessage) =>
    identityOfCertificate(message, clientAuthorities.value, systemClock, (remainingMs) =>
      lifetimesMs.push(remainingMs),
    );
  const access = createAccessControl(
    { certificateOwner: ownerOf, authorizer: alwaysAllow, clock: systemClock, logger: noopLogger },
    { anonymous: false, isFineGrained: true },
  );
  const handle = ({ message }: { message: IncomingMessage }) => {
    const owner = ownerOf(message);
    if (owner === undefined || owner === 'invalid') return { body: '' };
    return { body: [owner.name, ...owner.groups, ...Object.keys(owner.extra)].join(' ') };
  };
  let address: AddressInfo | undefined;
  const listener = createHttpsListener(
    { clock: systemClock, logger: noopLogger },
    { routes: [{ pattern: '/who', handle }], access },
    {
      address: '127.0.0.1',
      port: 0,
      limits: { maxRequests: 10, maxIdle: 10 },
      tls,
      certificate,
      clientAuthorities,
      onListening: (bound) => (address = bound),
    },
  );
  disposables.push(listener);
  await listener.start();
  const open = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({
      host: '127.0.0.1',
      port: address!.port,
      ca: [authority.certificatePem],
      servername: 'localhost',
      ...options,
    });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  };
  return { certificate, clientAuthorities, open, lifetimesMs };
}

/** Asks on a connection, which stays open. */
async function sendRequest(socket: TLSSocket): Promise<[status: number | undefined, body: string]> {
  const call = request({ path: '/who', createConnection: () => socket, headers: { connection: 'keep-alive' } });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  return [response.statusCode, body];
}

const credentials = ({ certificatePem, keyPem }: TlsKeyPair): ConnectionOptions => ({
  cert: certificatePem,
  key: keyPem,
});
const DENIED = [401, 'Unauthorized'];
const JANE = [200, 'jane dev ops authentication.kubernetes.io/credential-id'];

/** Returns the timer of the server's end of a connection, as the kernel shows it in /proc/net/tcp: `02` for the one that probes an idle peer. */
async function kernelTimer({ localPort = 0, remotePort = 0 }: TLSSocket): Promise<string | undefined> {
  const end = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  const line = lines.find((text) => text.includes(`${end(remotePort)} ${end(localPort)}`));
  return line?.trim().split(/\s+/)[5]?.split(':')[0];
}

describe('connections', () => {
  it('use TCP keep-alive, so that those of vanished clients end', async () => {
    const { open } = await start();
    const socket = await open();
    await expect.poll(() => kernelTimer(socket), { interval: 5 }).toBe('02');
  });
});

describe('client certificates', () => {
  it('stay optional, and identify clients of a trusted authority', async () => {
    const { open } = await start();
    expect(await sendRequest(await open())).toEqual(DENIED);
    expect(await sendRequest(await open(credentials(await pair(authority, jane))))).toEqual(JANE);
    expect(await sendRequest(await open(credentials(await pair(other, jane))))).toEqual(DENIED);
    expect(await sendRequest(await open(credentials(serving)))).toEqual(DENIED);
    expect(await sendRequest(await open(credentials(await pair(authority, jane, -1000))))).toEqual(DENIED);
  });

  it('report their lifetime, negative for an expired one', async () => {
    const { open, lifetimesMs } = await start();
    await sendRequest(await open());
    expect(lifetimesMs).toEqual([]);
    await sendRequest(await open(credentials(await pair(authority, jane, -1000))));
    expect(lifetimesMs.every((remainingMs) => remainingMs < 0)).toBe(true);
    await sendRequest(await open(credentials(await pair(authority, jane))));
    expect(lifetimesMs.at(-1)).toBeGreaterThan(0);
  });

  it('follow changed authorities without a dropped connection', async () => {
    const { open, clientAuthorities } = await start();
    const before = await open(credentials(await pair(authority, jane)));
    expect(await sendRequest(before)).toEqual(JANE);
    clientAuthorities.set(parseAuthorities(other.certificatePem));
    expect(await sendRequest(before)).toEqual(DENIED);
    expect(await sendRequest(await open(credentials(await pair(authority, jane))))).toEqual(DENIED);
    expect(await sendRequest(await open(credentials(await pair(other, jane))))).toEqual(JANE);
    clientAuthorities.set(parseAuthorities(other.certificatePem + authority.certificatePem));
    expect(await sendRequest(before)).toEqual(JANE);
  });

  it('count only on the connection that sent them, not on a resumed session', async () => {
    const { open } = await start();
    const socket = await open({ ...credentials(await pair(authority, jane)), maxVersion: 'TLSv1.2' });
    const session = socket.getSession()!;
    await sendRequest(socket);
    expect((await open({ session, maxVersion: 'TLSv1.2' })).isSessionReused()).toBe(false);
  });
});

describe('the serving certificate', () => {
  it('is renewed for new connections, and those that exist go on', async () => {
    const { open, certificate } = await start();
    const client = credentials(await pair(authority, jane));
    const before = await open(client);
    const renewed = await pair(authority, { ...subject, commonName: 'node1-renewed' });
    certificate.set(renewed);
    expect((await open()).getPeerCertificate().subject.CN).toBe('node1-renewed');
    expect(await sendRequest(before)).toEqual(JANE);
    certificate.set({ ...renewed, keyPem: 'broken' });
    expect((await open()).getPeerCertificate().subject.CN).toBe('node1-renewed');
  });

  it('is needed for a handshake', async () => {
    const { open, certificate } = await start();
    certificate.set(undefined);
    await expect(open()).rejects.toThrow();
    certificate.set(serving);
    expect(await sendRequest(await open())).toEqual(DENIED);
  });
});

describe('TLS', () => {
  it('has the least version of the configuration, and no protocol but HTTP/1.1', async () => {
    const { open } = await start({ tlsMinVersion: 'VersionTLS13' });
    await expect(open({ maxVersion: 'TLSv1.2' })).rejects.toThrow();
    expect((await open({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe(false);
    expect((await open({ ALPNProtocols: ['h2'] })).getProtocol()).toBe('TLSv1.3');
  });

  it('has the cipher suites of the configuration', async () => {
    const { open } = await start({ tlsCipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'] });
    const ciphers = (name: string): ConnectionOptions => ({ maxVersion: 'TLSv1.2', ciphers: name });
    expect((await open(ciphers('ECDHE-ECDSA-AES256-GCM-SHA384'))).getCipher().name).toBe(
      'ECDHE-ECDSA-AES256-GCM-SHA384',
    );
    await expect(open(ciphers('ECDHE-ECDSA-AES128-GCM-SHA256'))).rejects.toThrow();
  });

  it('has the groups of the configuration for the exchange of keys', async () => {
    const { open } = await start({ tlsCurvePreferences: [24] });
    expect((await open({ ecdhCurve: 'P-256:P-384' })).getEphemeralKeyInfo()).toMatchObject({ name: 'secp384r1' });
    await expect(open({ ecdhCurve: 'P-256' })).rejects.toThrow();
  });

  it('has the post-quantum group that a kubelet prefers', async () => {
    const { open } = await start({ tlsCurvePreferences: [4588] });
    expect((await open({ ecdhCurve: 'X25519MLKEM768' })).getProtocol()).toBe('TLSv1.3');
    await expect(open({ ecdhCurve: 'X25519' })).rejects.toThrow();
  });

  it('names settings that it does not have', () => {
    expect(unknownTlsNames({ tlsCurvePreferences: [29, 31] })).toEqual(['31']);
    expect(unknownTlsNames({ tlsMinVersion: 'VersionTLS12', tlsCipherSuites: ['TLS_AES_128_GCM_SHA256'] })).toEqual([]);
    expect(unknownTlsNames({ tlsMinVersion: 'x', tlsCipherSuites: ['TLS_RSA_WITH_RC4_128_SHA', 'toString'] })).toEqual([
      'x',
      'TLS_RSA_WITH_RC4_128_SHA',
      'toString',
    ]);
    expect(tlsContextOptions({ tlsMinVersion: 'toString' }).minVersion).toBe('TLSv1.2');
  });
});
