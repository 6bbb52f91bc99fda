import { X509Certificate } from 'node:crypto';
import { connect, createServer } from 'node:tls';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import type { NodeAddress } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { createSelfSigned } from '../x509/self-signed.ts';
import { seededRandom, systemClock, systemRandom } from '@rxlet/component-base';
import { createTestNode, DIRECTORY, startServing, type TestNode } from '../test-support.ts';

const CERT = '/etc/tls/tls.crt';
const KEY = '/etc/tls/tls.key';
const namesOf = (certificatePem = ''): string | undefined => new X509Certificate(certificatePem).subjectAltName;

/** Writes a certificate for a host to the configured files. */
async function putFiles({ memory, clock }: TestNode, host: string): Promise<void> {
  const pair = await createSelfSigned({ clock, random: seededRandom(7) }, host);
  memory.put(KEY, pair.keyPem);
  memory.put(CERT, pair.certificatePem);
}

describe('a requested serving certificate', () => {
  it('is requested once the node has an address, for its names', async () => {
    await using node = await createTestNode();
    const { clock } = node;
    let addresses: readonly NodeAddress[] = [{ type: 'Hostname', address: 'node1' }];
    await using serving = await startServing(node, { isRequested: true }, () => addresses);
    await clock.advance(60_000);
    expect(node.signingRequests()).toEqual([]);
    addresses = [...addresses, { type: 'InternalIP', address: '10.0.0.7' }];
    await clock.advance(2000);
    expect(node.signingRequests()[0]?.spec).toMatchObject({
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      username: 'system:node:node1',
    });
    expect(serving.certificate.value).toBeUndefined();
    node.decide('Approved');
    await node.until(() => serving.certificate.value !== undefined);
    expect(namesOf(serving.certificate.value?.certificatePem)).toBe('DNS:node1, IP Address:10.0.0.7');
    expect(node.storedPem('kubelet-server')).toContain(serving.certificate.value!.keyPem);
  });

  it('is not requested before the API server has the node', async () => {
    await using node = await createTestNode();
    let isRegistered = false;
    const addresses = (): readonly NodeAddress[] => [{ type: 'InternalIP', address: '10.0.0.7' }];
    await using _ = await startServing(node, { isRequested: true }, addresses, () => isRegistered);
    await node.clock.advance(60_000);
    expect(node.signingRequests()).toEqual([]);
    isRegistered = true;
    await node.clock.advance(2000);
    expect(node.signingRequests()).toHaveLength(1);
  });

  it('is requested again when the addresses change, also while the last request waits', async () => {
    await using node = await createTestNode();
    const { clock } = node;
    let ip = '10.0.0.7';
    await using serving = await startServing(node, { isRequested: true }, () => [{ type: 'InternalIP', address: ip }]);
    await clock.advance(2000);
    ip = '10.0.0.8';
    await clock.advance(5000);
    expect(node.signingRequests()).toHaveLength(2);
    node.decide('Approved');
    await node.until(() => serving.certificate.value !== undefined);
    expect(namesOf(serving.certificate.value?.certificatePem)).toBe('IP Address:10.0.0.8');
    ip = '10.0.0.9';
    await clock.advance(5000);
    node.decide('Approved');
    await node.until(() => namesOf(serving.certificate.value?.certificatePem) === 'IP Address:10.0.0.9');
    await clock.advance(60_000);
    expect(node.signingRequests()).toHaveLength(3);
  });

  it('is that of the last start, and no other without an API server', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const addresses = (): readonly NodeAddress[] => [{ type: 'InternalIP', address: '10.0.0.7' }];
    const first = await startServing(node, { isRequested: true }, addresses);
    await node.until(() => first.certificate.value !== undefined);
    await first[Symbol.asyncDispose]();
    await using standalone = await startServing(node, { isRequested: true }, undefined);
    expect(standalone.certificate.value).toEqual(first.certificate.value);
    expect(node.logger.lines.at(-1)?.message).toBe('no serving certificate is requested: the node has no API server');
  });
});

describe('a serving certificate of files', () => {
  it('follows the files, and stays while they cannot be used', async () => {
    await using node = await createTestNode();
    const { clock, memory, logger } = node;
    await putFiles(node, 'first');
    const certificateFiles = { certFile: CERT, keyFile: KEY };
    await using serving = await startServing(node, { certificateFiles });
    const hosts: (string | undefined)[] = [];
    serving.certificate.value$.subscribe((pair) => hosts.push(namesOf(pair?.certificatePem)));
    await putFiles(node, 'second');
    await clock.settle();
    memory.put(CERT, 'half');
    await clock.settle();
    memory.put(KEY, 'written');
    await clock.advance(180_000);
    memory.remove(CERT);
    await clock.advance(1_000);
    memory.unseen(() => memory.remove(KEY));
    await putFiles(node, 'third');
    await clock.advance(1_000);
    expect([...new Set(hosts)]).toEqual(['DNS:first', 'DNS:second', 'DNS:third']);
    const problems = logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
    expect(problems).toEqual(['there is no certificate (PEM)', `${CERT} does not exist`]);
  });

  it('finds a change that no watch reported within a minute', async () => {
    await using node = await createTestNode();
    await putFiles(node, 'first');
    const pair = await createSelfSigned({ clock: node.clock, random: seededRandom(8) }, 'second');
    await using serving = await startServing(node, { certificateFiles: { certFile: CERT, keyFile: KEY } });
    node.memory.unseen(() => {
      node.memory.put(CERT, pair.certificatePem);
      node.memory.put(KEY, pair.keyPem);
    });
    await node.clock.advance(61_000);
    expect(serving.certificate.value).toEqual(pair);
  });

  it.each(['key', 'certificate', 'rest of the chain'])(
    'is complete although it is read while the files are rewritten: the %s comes later',
    async (later) => {
      await using node = await createTestNode();
      const { clock, memory, logger } = node;
      const [first, second, third] = await Promise.all(
        [1, 2, 3].map((seed) => createSelfSigned({ clock, random: seededRandom(seed) }, `host${String(seed)}`)),
      );
      const rewrite = ({ certificatePem, keyPem }: TlsKeyPair): (() => void) => {
        if (later === 'key') memory.put(CERT, certificatePem);
        else memory.put(KEY, keyPem);
        if (later === 'rest of the chain') memory.put(CERT, certificatePem.slice(0, -200));
        // Not reported, as for the target of a link.
        return () =>
          memory.unseen(() => (later === 'key' ? memory.put(KEY, keyPem) : memory.put(CERT, certificatePem)));
      };
      memory.put(KEY, first!.keyPem);
      memory.put(CERT, first!.certificatePem);
      let complete = rewrite(second!);
      const starting = startServing(node, { certificateFiles: { certFile: CERT, keyFile: KEY } });
      await clock.advance(500);
      complete();
      await clock.advance(500);
      await using serving = await starting;
      expect(serving.certificate.value).toEqual(second);
      complete = rewrite(third!);
      await clock.advance(500);
      expect(serving.certificate.value).toEqual(second);
      complete();
      await clock.advance(500);
      expect(serving.certificate.value).toEqual(third);
      expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    },
  );

  it('fails the start when they cannot be used', async () => {
    await using node = await createTestNode();
    const starting = startServing(node, { certificateFiles: { certFile: CERT, keyFile: KEY } });
    await expect(starting).rejects.toThrow(
      `cannot use the serving certificate ${CERT} with the key ${KEY}: ${CERT} does not exist`,
    );
  });
});

describe('a self-signed serving certificate', () => {
  it('is made once, for the name of the node', async () => {
    await using node = await createTestNode();
    const { memory, clock } = node;
    const first = await startServing(node, {});
    expect(memory.paths()).toEqual([`${DIRECTORY}/kubelet.crt`, `${DIRECTORY}/kubelet.key`]);
    expect(memory.info(`${DIRECTORY}/kubelet.crt`)?.mode).toBe(0o644);
    expect(memory.info(`${DIRECTORY}/kubelet.key`)?.mode).toBe(0o600);
    await first[Symbol.asyncDispose]();
    await clock.advance(1000);
    await using second = await startServing(node, {});
    expect(second.certificate.value).toEqual(first.certificate.value);
    expect(namesOf(second.certificate.value?.certificatePem)).toBe('DNS:node1');
  });

  it('needs the key of a certificate that is there', async () => {
    await using node = await createTestNode();
    node.memory.put(`${DIRECTORY}/kubelet.crt`, 'x');
    await expect(startServing(node, {})).rejects.toThrow(
      `cannot read ${DIRECTORY}/kubelet.key: a certificate and its key must be supplied as a pair`,
    );
    expect(node.memory.paths()).toEqual([`${DIRECTORY}/kubelet.crt`]);
  });

  it('is accepted in a TLS handshake by clients that trust its authority', async () => {
    const pair = await createSelfSigned({ clock: systemClock, random: systemRandom }, 'node1');
    const [, ca = ''] = pair.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
    const server = createServer({ cert: pair.certificatePem, key: pair.keyPem }, (socket) => socket.end('hello'));
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const socket = connect({ port, host: '127.0.0.1', ca, servername: 'node1' });
      const text = await new Promise((resolve, reject) =>
        socket.once('data', (data) => resolve(String(data))).once('error', reject),
      );
      expect([socket.authorized, text]).toEqual([true, 'hello']);
      socket.destroy();
    } finally {
      server.close();
    }
  });
});
