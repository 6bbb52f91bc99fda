import { X509Certificate } from 'node:crypto';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createTestNode, DIRECTORY } from '../test-support.ts';
import type { CertificateManager } from '../manager/certificate-manager.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const serialOf = ({ certificate }: CertificateManager): string =>
  new X509Certificate(certificate.value!.certificatePem).serialNumber;

describe('a node without a certificate', () => {
  it('requests one as a kubelet does, and stores it once it is approved', async () => {
    await using node = await createTestNode();
    const { clock, kube, memory } = node;
    await using manager = await node.startClient();
    await clock.settle();
    const [request] = node.signingRequests();
    expect(request?.metadata?.generateName).toBe('csr-');
    expect(request?.spec).toMatchObject({
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      username: 'system:bootstrap:abcdef',
    });
    expect(request?.spec).not.toHaveProperty('expirationSeconds');
    const name = request?.metadata?.name ?? '';
    expect(kube.requests().map(({ method, query }) => `${method} ${query.split('&timeoutSeconds')[0]!}`)).toEqual([
      'POST ',
      `GET fieldSelector=metadata.name%3D${name}`,
      `GET allowWatchBookmarks=true&fieldSelector=metadata.name%3D${name}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`,
    ]);
    await clock.advance(35_000);
    expect([manager.certificate.value, memory.paths(), node.signingRequests().length]).toEqual([undefined, [], 1]);

    node.decide('Approved');
    await node.until(() => manager.certificate.value !== undefined);
    const path = `${DIRECTORY}/kubelet-client-2026-01-01-00-00-35.pem`;
    expect(memory.paths()).toEqual([path, `${DIRECTORY}/kubelet-client-current.pem -> ${path}`]);
    expect([memory.info(path)?.mode, memory.info(DIRECTORY)?.mode]).toEqual([0o600, 0o755]);
    const { certificatePem, keyPem } = manager.certificate.value!;
    expect(memory.text(path)).toBe(certificatePem + keyPem);
    expect(keyPem).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
    expect(new X509Certificate(certificatePem).subject).toBe('O=system:nodes\nCN=system:node:node1');
  });

  it('requests another one with a new key when a request is rejected, fails or is not approved within 15 minutes', async () => {
    await using node = await createTestNode();
    const { clock, logger } = node;
    await using _manager = await node.startClient();
    await clock.settle();
    node.decide('Denied', 'Unknown', 'not one of ours');
    await clock.advance(3000);
    expect(node.signingRequests()).toHaveLength(2);
    node.decide('Failed', 'SignerValidationFailure', 'no');
    await clock.advance(5000);
    expect(node.signingRequests()).toHaveLength(3);
    await clock.advance(15 * MINUTE_MS);
    await clock.advance(16_000);
    expect(node.signingRequests()).toHaveLength(4);
    expect(new Set(node.signingRequests().map(({ spec }) => spec.request)).size).toBe(4);
    const problems = logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
    expect(problems).toEqual([
      expect.stringMatching(
        /^the certificate signing request "csr-\w+" is denied, reason: Unknown, message: not one of ours$/,
      ),
      expect.stringMatching(
        /^the certificate signing request "csr-\w+" failed, reason: SignerValidationFailure, message: no$/,
      ),
      expect.stringMatching(/^the certificate signing request "csr-\w+" was not signed within 15 minutes$/),
    ]);
  });

  it('tries ever more rarely while the API server is away, says so once, and recovers', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { clock, kube, logger } = node;
    const requests = kube.faults.add({ action: { type: 'error', reason: 'ServiceUnavailable', message: 'no leader' } });
    await using manager = await node.startClient();
    await clock.advance(2 * MINUTE_MS);
    // 0, 2, 6, 14 and 30 s with up to a tenth more, then every 32 s.
    expect(kube.requests().map(({ atMs }) => Math.floor((atMs - Date.UTC(2026, 0, 1)) / 1000))).toEqual([
      0, 2, 6, 14, 30, 62, 94,
    ]);
    expect(logger.lines.filter(({ level }) => level !== 'debug')).toEqual([
      {
        level: 'warn',
        message: 'cannot get a certificate; the request is repeated',
        fields: { certificate: 'client', signer: 'kubernetes.io/kube-apiserver-client-kubelet', error: 'no leader' },
      },
    ]);
    requests[Symbol.dispose]();
    await clock.advance(10_000);
    await node.until(() => manager.certificate.value !== undefined);
    expect(logger.lines.at(-1)?.message).toBe('got a certificate');
  });

  it('keeps key and request over a restart when the certificate will not be renewed', async () => {
    await using node = await createTestNode();
    const { clock, memory } = node;
    const path = `${DIRECTORY}/kubelet-client.key.tmp`;
    const names: (string | undefined)[] = [];
    for (let start = 0; start < 2; start += 1) {
      await using _interrupted = await node.startClient({ rotates: false });
      await clock.advance(10_000);
      names.push(...node.signingRequests().map(({ metadata }) => metadata?.name));
    }
    expect(names[0]).toMatch(/^node-csr-[\w-]{43}$/);
    expect(names).toEqual([names[0], names[0]]);
    expect(memory.info(path)?.mode).toBe(0o600);
    const key = memory.text(path);
    await using manager = await node.startClient({ rotates: false });
    node.decide('Approved');
    await node.until(() => manager.certificate.value !== undefined);
    expect(manager.certificate.value?.keyPem).toBe(key);
    await node.until(() => memory.info(path) === undefined);
    await clock.advance(24 * HOUR_MS - 1000);
    expect(node.signingRequests()).toHaveLength(1);
    expect(manager.certificate.value).toBeDefined();
    await clock.advance(1010);
    expect(manager.certificate.value).toBeUndefined();
    expect(node.signingRequests()).toHaveLength(2);
  });
});

describe('a node with a certificate', () => {
  it('uses it at once after a restart, without a request', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const first = await node.startClient();
    await node.until(() => first.certificate.value !== undefined);
    await first[Symbol.asyncDispose]();
    await using second = await node.startClient();
    expect(second.certificate.value).toEqual(first.certificate.value);
    await node.clock.advance(16 * HOUR_MS);
    expect(node.signingRequests()).toHaveLength(1);
  });

  it('renews it after 70 to 90 % of its life by its own identity, and emits the new one', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { clock, memory } = node;
    await using manager = await node.startClient();
    await node.until(() => manager.certificate.value !== undefined);
    const seen: (string | undefined)[] = [];
    manager.certificate.value$.subscribe((pair) => seen.push(pair?.keyPem));
    const first = serialOf(manager);
    await clock.advance(16.7 * HOUR_MS);
    expect(serialOf(manager)).toBe(first);
    await node.advanceToNextRequest(5 * HOUR_MS);
    await node.until(() => serialOf(manager) !== first);
    const [, renewal] = node.signingRequests();
    expect(renewal?.spec.username).toBe('system:node:node1');
    expect(new Set(seen).size).toBe(2);
    expect(node.storedPem()).toBe(manager.certificate.value!.certificatePem + manager.certificate.value!.keyPem);
    expect(memory.paths()).toHaveLength(3);
  });

  it('stores a certificate that it was given, and replaces it at once', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const authority = await node.kube.authority();
    const initialPair = await authority.issue({
      commonName: 'system:node:node1',
      organizations: ['system:nodes'],
      usages: ['client auth'],
    });
    await using manager = await node.startClient({ initialPair });
    const first = manager.certificate.value;
    expect(first).toEqual(initialPair);
    await node.until(() => manager.certificate.value !== first);
    expect(node.signingRequests().map(({ spec }) => spec.username)).toEqual(['system:node:node1']);
    expect(node.storedPem()).toContain(manager.certificate.value!.keyPem);
  });

  it('keeps the last five files', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    await using manager = await node.startClient();
    for (let renewals = 1; renewals < 8; renewals += 1) {
      await node.until(() => manager.certificate.value !== undefined);
      const before = serialOf(manager);
      await node.advanceToNextRequest(22 * HOUR_MS);
      await node.until(() => serialOf(manager) !== before);
    }
    expect(node.memory.paths().filter((path) => !path.includes('->'))).toHaveLength(5);
    expect(node.storedPem()).toContain(manager.certificate.value!.keyPem);
  });

  it('keeps the current file when the clock was set back before those of earlier ones', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    await using manager = await node.startClient();
    await node.until(() => manager.certificate.value !== undefined);
    // Files of a time at which the clock was wrong.
    for (let day = 1; day <= 6; day += 1)
      node.memory.put(`${DIRECTORY}/kubelet-client-2099-01-0${String(day)}-00-00-00.pem`, 'outdated');
    const before = serialOf(manager);
    await node.advanceToNextRequest(22 * HOUR_MS);
    await node.until(() => serialOf(manager) !== before);
    expect(node.storedPem()).toContain(manager.certificate.value!.keyPem);
    expect(node.memory.paths().filter((path) => !path.includes('->'))).toHaveLength(5);
  });

  it('has none after it expired, and requests another one by its first credentials', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { clock, kube, logger } = node;
    await using manager = await node.startClient();
    await node.until(() => manager.certificate.value !== undefined);
    kube.stop();
    clock.setWallClock(clock.now() + 25 * HOUR_MS);
    await clock.advance(11 * MINUTE_MS);
    expect([manager.certificate.value, manager.notAfterMs]).toEqual([undefined, undefined]);
    expect(logger.lines.filter(({ message }) => message === 'the certificate has expired')).toHaveLength(1);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    kube.start();
    await clock.advance(40_000);
    await node.until(() => manager.certificate.value !== undefined);
    expect(node.signingRequests().map(({ spec }) => spec.username)).toEqual([
      'system:bootstrap:abcdef',
      'system:bootstrap:abcdef',
    ]);
  });

  it('uses it again at once when a wall clock that was ahead is corrected', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { clock, kube } = node;
    const first = await node.startClient();
    await node.until(() => first.certificate.value !== undefined);
    await first[Symbol.asyncDispose]();
    kube.stop();
    const realMs = clock.now();
    clock.setWallClock(realMs + 25 * HOUR_MS);
    await using second = await node.startClient();
    await clock.advance(20_000);
    expect(second.certificate.value).toBeUndefined();
    clock.setWallClock(realMs + 20_000);
    await clock.advance(2_000);
    expect(second.certificate.value).toEqual(first.certificate.value);
  });

  it('uses its first credentials in turn when the API server rejects it', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { kube } = node;
    await using manager = await node.startClient();
    await node.until(() => manager.certificate.value !== undefined);
    const first = manager.certificate.value;
    kube.faults.add({
      match: { user: 'system:node:node1' },
      action: { type: 'error', reason: 'Unauthorized', message: 'unknown authority' },
    });
    await node.advanceToNextRequest(22 * HOUR_MS);
    await node.until(() => manager.certificate.value !== first);
    expect(node.signingRequests().map(({ spec }) => spec.username)).toEqual([
      'system:bootstrap:abcdef',
      'system:bootstrap:abcdef',
    ]);
  });

  it('asks no more than every 32 s for certificates that have expired when they are issued', async () => {
    await using node = await createTestNode();
    const { clock, kube, logger } = node;
    const authority = await kube.authority();
    await using manager = await node.startClient();
    for (let round = 1; round <= 3; round += 1) {
      await node.until(() => node.signingRequests().length === round);
      const { metadata, spec } = node.signingRequests()[round - 1]!;
      const pem = await authority.sign(Buffer.from(spec.request, 'base64').toString(), spec.usages ?? [], -1000);
      const certificate = Buffer.from(pem).toString('base64');
      kube.objects.merge(
        resources.certificateSigningRequests,
        metadata?.name ?? '',
        undefined,
        { status: { certificate } },
        'status',
      );
      node.decide('Approved');
      await clock.advance(3000 * 2 ** (round - 1));
    }
    expect(node.signingRequests()).toHaveLength(4);
    expect([manager.certificate.value, node.storedPem()]).toEqual([undefined, undefined]);
    expect(logger.lines.find(({ level }) => level === 'warn')?.fields['error']).toMatch(
      /^the certificate expired at .*, before it was issued$/,
    );
  });

  it('completes an update that was interrupted, and replaces a certificate that it cannot use', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { memory, logger } = node;
    const current = `${DIRECTORY}/kubelet-client-current.pem`;
    const first = await node.startClient();
    await node.until(() => first.certificate.value !== undefined);
    await first[Symbol.asyncDispose]();
    memory.rename(current, `${DIRECTORY}/kubelet-client-updated.pem`);
    const second = await node.startClient();
    expect(second.certificate.value).toEqual(first.certificate.value);
    await second[Symbol.asyncDispose]();

    memory.put(`${DIRECTORY}/half.pem`, node.storedPem()!.slice(0, 300));
    memory.putLink(current, `${DIRECTORY}/half.pem`);
    await using third = await node.startClient();
    expect(third.certificate.value).toBeUndefined();
    await node.until(() => third.certificate.value !== undefined);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'cannot use a stored certificate',
        fields: { certificate: 'client', path: current, error: 'there is no certificate (PEM)' },
      },
    ]);
  });

  it('tries again when the certificate cannot be stored, and leaves nothing behind', async () => {
    await using node = await createTestNode({ approvesNodeCertificates: true });
    const { clock, memory, logger } = node;
    memory.fault = (operation) => {
      if (operation === 'replaceFile') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const manager = await node.startClient();
    await node.until(() => logger.lines.some(({ level }) => level === 'warn'));
    expect([manager.certificate.value, memory.paths()]).toEqual([undefined, []]);
    expect(logger.lines.find(({ level }) => level === 'warn')?.fields['error']).toContain('no space left on device');
    memory.fault = undefined;
    await clock.advance(3000);
    await node.until(() => manager.certificate.value !== undefined);
    await manager[Symbol.asyncDispose]();
    await node.kube[Symbol.asyncDispose]();
    expect([clock.pendingTimers, memory.openHandles, memory.openWatches]).toEqual([0, 0, 0]);
  });
});
