import { KubeError } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { type PodCertificateRequest, resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { encodePem } from '../pem/pem.ts';
import { createPodCertificateManager } from './pod-certificate-manager.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const CHAIN = encodePem('CERTIFICATE', Buffer.from('leaf'));
const source = { signerName: 'example.com/signer', keyType: 'ED25519', maxExpirationSeconds: 3600, keyPath: 'key' };
const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: {
    serviceAccountName: 'app',
    containers: [],
    volumes: [{ name: 'tls', projected: { sources: [{ downwardAPI: {} }, { podCertificate: source }] } }],
  },
};

function createBench() {
  const clock = createVirtualClock({ startMs: START_MS });
  const kube = createMemoryKube();
  kube.put(resources.serviceAccounts, { metadata: { name: 'app', namespace: 'shop', uid: 'account' } });
  const events = createEventLog(clock);
  const created: PodCertificateRequest[] = [];
  const client = {
    ...kube.main,
    async create(_resource: unknown, object: object) {
      await kube.onRequest?.({ verb: 'create', resource: 'podcertificaterequests' });
      const { metadata, ...rest } = object as PodCertificateRequest;
      const name = `req-${String(created.length + 1)}`;
      const creationTimestamp = new Date(clock.now()).toISOString();
      const request = { ...rest, metadata: { ...metadata, name, creationTimestamp } };
      created.push(request);
      return kube.put(resources.podCertificateRequests, request) as never;
    },
  };
  let keys = 0;
  const manager = createPodCertificateManager({
    client,
    clock,
    events,
    logger: recordingLogger(),
    metrics: noopMetrics,
    nodeName: 'node1',
    random: { next: () => 0, hex: () => '' },
    createKey: async () => ({ keyPem: `key-${String((keys += 1))}`, stubRequest: Buffer.from('proof') }),
    nodeUid: () => 'node-uid',
  });
  const changed: string[] = [];
  manager.changes$.subscribe((uid) => changed.push(uid));
  /** Decides as a signer on the last request. */
  const decide = (type: string, fields: PodCertificateRequest['status'] = {}): void => {
    const request = created.at(-1)!;
    const conditions = [{ type, reason: 'Because', message: 'it is so' }];
    kube.put(resources.podCertificateRequests, { ...request, status: { conditions, ...fields } });
  };
  const issue = (): void => {
    const at = (minutes: number): string => new Date(clock.now() + minutes * MINUTE_MS).toISOString();
    const certificateChain = `subject: web\n${CHAIN}`;
    decide('Issued', { certificateChain, notBefore: at(0), beginRefreshAt: at(30), notAfter: at(60) });
  };
  const credentials = () => manager.credentials(pod, 'tls', 1);
  const seen = () => events.list().map(({ reason, message }) => `${reason}: ${message}`);
  return { clock, kube, manager, created, changed, decide, issue, credentials, seen };
}

describe('certificates of pods', () => {
  it('requests a certificate once and serves it after the signer has issued it', async () => {
    const { clock, kube, manager, created, changed, issue, credentials } = createBench();
    await expect(credentials()).rejects.toThrow('credential bundle is not issued yet');
    await expect(credentials()).rejects.toThrow('credential bundle is not issued yet');
    expect(created).toHaveLength(1);
    expect(created[0]).toMatchObject({
      metadata: {
        namespace: 'shop',
        generateName: 'req-',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u' }],
      },
      spec: {
        signerName: 'example.com/signer',
        podName: 'web',
        podUID: 'u',
        nodeName: 'node1',
        nodeUID: 'node-uid',
        serviceAccountName: 'app',
        serviceAccountUID: 'account',
        maxExpirationSeconds: 3600,
        stubPKCS10Request: Buffer.from('proof').toString('base64'),
      },
    });
    issue();
    await clock.advance(1);
    expect(changed).toEqual(['u']);
    expect(await credentials()).toEqual({ key: 'key-1', certificates: CHAIN });
    expect(kube.requests.filter(({ verb }) => verb === 'watch')).toMatchObject([{ name: 'spec.nodeName=node1' }]);
    await manager[Symbol.asyncDispose]();
    expect([kube.openWatches, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('replaces a certificate in time with a new key and serves the current one until then', async () => {
    const { clock, created, issue, credentials } = createBench();
    await credentials().catch(() => undefined);
    issue();
    await clock.advance(29 * MINUTE_MS);
    expect(created).toHaveLength(1);
    await clock.advance(3 * MINUTE_MS);
    expect(created).toHaveLength(2);
    expect((await credentials()).key).toBe('key-1');
    issue();
    await clock.advance(1);
    expect((await credentials()).key).toBe('key-2');
  });

  it('emits one event for a certificate that was not replaced in time', async () => {
    const { clock, issue, credentials, seen } = createBench();
    await credentials().catch(() => undefined);
    issue();
    await clock.advance(90 * MINUTE_MS);
    expect(seen()).toEqual([
      'CertificateOverdueForRefresh: PodCertificate refresh overdue',
      'CertificateExpired: PodCertificate expired',
    ]);
  });

  it.each([
    ['Denied', 'was denied', 'denied'],
    ['Failed', 'failed', 'failed'],
  ])('does not repeat a request that was decided as %s', async (type, outcome, verb) => {
    const { clock, created, decide, credentials, seen } = createBench();
    await credentials().catch(() => undefined);
    decide(type);
    await clock.advance(10 * MINUTE_MS);
    expect(seen()).toEqual([
      `${type}: PodCertificateRequest shop/req-1 ${outcome}, reason="Because", message="it is so"`,
    ]);
    await expect(credentials()).rejects.toThrow(
      `PodCertificateRequest was permanently ${verb}: reason="Because" message="it is so"`,
    );
    expect(created).toHaveLength(1);
  });

  it('repeats a request that has been missing for ten minutes', async () => {
    const { clock, kube, created, credentials } = createBench();
    await credentials().catch(() => undefined);
    kube.remove(resources.podCertificateRequests, { name: 'req-1', namespace: 'shop' });
    await clock.advance(9 * MINUTE_MS);
    expect(created).toHaveLength(1);
    await clock.advance(3 * MINUTE_MS);
    expect(created).toHaveLength(2);
  });

  it('retries requests with back-off while the API server fails', async () => {
    const { clock, kube, created, credentials } = createBench();
    let calls = 0;
    kube.onRequest = ({ resource }) => {
      if (resource !== 'serviceaccounts') return;
      calls += 1;
      throw new KubeError('Unreachable', 'connection refused');
    };
    for (let attempt = 0; attempt < 5; attempt += 1) await credentials().catch(() => undefined);
    expect(calls).toBe(1);
    kube.onRequest = undefined;
    await clock.advance(500);
    await credentials().catch(() => undefined);
    expect(created).toHaveLength(1);
  });

  it('drops certificates with their pod, and requests none for static pods', async () => {
    const { manager, credentials } = createBench();
    await credentials().catch(() => undefined);
    manager.retain(new Set(['u']));
    expect(manager.size).toBe(1);
    manager.release('u');
    expect(manager.size).toBe(0);
    const annotations = { 'kubernetes.io/config.source': 'file' };
    await expect(manager.credentials({ ...pod, metadata: { ...pod.metadata, annotations } }, 'tls', 1)).rejects.toThrow(
      'only for pods of the API server',
    );
  });
});
