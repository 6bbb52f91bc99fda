// Loaded before the clock runs: loading takes real time.
import 'asn1js';
import { X509Certificate } from 'node:crypto';
import type { ModuleContext, ServiceKey } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import type { KubeClient, TlsKeyPair } from '@rxlet/kube-api/client';
import { nodeObject } from '@rxlet/agent-api/node';
import { seededRandom } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import {
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import { createFakeKube, type FakeKube, type FakeKubeOptions, nodeUser, type User } from '@rxlet/fake-kube';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { CertificateSigningRequest, NodeAddress } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient } from '@rxlet/kube-client';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { vi } from 'vitest';
import { type ClientCertificateOptions, createClientCertificate } from './client/client-certificate.ts';
import type { CertificateManager } from './manager/certificate-manager.ts';
import { servingCertificates, type ServingCertificatesOptions } from './serving/serving-certificate-module.ts';

/** Author of the requests of a node without a certificate. */
export const bootstrapper: User = {
  name: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', 'system:authenticated'],
};

/** A node, its files and an API server that approves nothing by itself. */
export interface TestNode extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly kube: FakeKube;
  readonly memory: MemoryFiles;
  readonly logger: RecordingLogger;
  /** Starts an agent's client certificate; its connections are those of the certificate that is stored. */
  startClient(options?: Partial<ClientCertificateOptions>): Promise<CertificateManager>;
  clientOf(user: User): KubeClient;
  /** Approves all requests, or rejects them. */
  decide(type: 'Approved' | 'Denied' | 'Failed', reason?: string, message?: string): void;
  signingRequests(): readonly CertificateSigningRequest[];
  /** Waits until a condition holds, without advancing time: signatures take a thread of their own. */
  until(condition: () => boolean): Promise<void>;
  /** Advances time until there is one more request, for `withinMs` at most, in steps below the timeout of a request: signing takes real time. */
  advanceToNextRequest(withinMs: number): Promise<void>;
  /** Returns the certificate and the key that the link of a store leads to. */
  storedPem(name?: string): string | undefined;
}

const STEP_MS = 10 * 60_000;

export const DIRECTORY = '/var/lib/kubelet/pki';

export async function createTestNode(options: FakeKubeOptions = {}): Promise<TestNode> {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const memory = createMemoryFiles();
  const kube = createFakeKube(
    { clock, random: seededRandom(1) },
    { authorization: 'node', approvesNodeCertificates: false, ...options },
  );
  const { certificateSigningRequests } = resources;
  const signingRequests = (): readonly CertificateSigningRequest[] =>
    kube.objects.list(certificateSigningRequests) as unknown as readonly CertificateSigningRequest[];
  const clientOf = (user: User): KubeClient =>
    createKubeClient(
      { transport: { send: (request) => kube.handle({ ...request, user }) }, clock, random: seededRandom(2) },
      { userAgent: 'kubelet/v1.36.2' },
    );
  const until = (condition: () => boolean): Promise<void> =>
    vi.waitFor(
      async () => {
        await clock.settle();
        if (!condition()) throw new Error('the condition does not hold');
      },
      { timeout: 30_000, interval: 1 },
    );
  return {
    clock,
    kube,
    memory,
    logger,
    clientOf,
    signingRequests,
    until,
    async advanceToNextRequest(withinMs) {
      const { length } = signingRequests();
      const endMs = clock.monotonicNow() + withinMs;
      while (signingRequests().length === length) {
        if (clock.monotonicNow() >= endMs) throw new Error('there was no request');
        await clock.advance(STEP_MS);
      }
    },
    async startClient(more = {}) {
      const manager = createClientCertificate(
        {
          files: memory.nodeFiles,
          hostFiles: memory.hostFiles,
          connect: async (hasCertificate) => ({
            client: clientOf(hasCertificate ? userOf(manager.certificate.value!.certificatePem) : bootstrapper),
            [Symbol.asyncDispose]: async () => undefined,
          }),
          clock,
          random: seededRandom(3),
          logger,
          metrics: noopMetrics,
        },
        { nodeName: 'node1', directory: DIRECTORY, ...more },
      );
      await manager.start();
      return manager;
    },
    decide(type, reason = 'ByTest', message = 'decided by the test') {
      for (const { metadata, status } of signingRequests()) {
        if ((status?.conditions ?? []).length > 0) continue;
        const conditions = [{ type, status: 'True', reason, message }];
        kube.objects.merge(
          certificateSigningRequests,
          metadata?.name ?? '',
          undefined,
          { status: { conditions } },
          'approval',
        );
      }
    },
    storedPem: (name = 'kubelet-client') => memory.text(`${DIRECTORY}/${name}-current.pem`),
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}

/** Returns the user that an API server takes a certificate for. */
function userOf(certificatePem: string): User {
  const { CN, O } = new X509Certificate(certificatePem).toLegacyObject().subject as Record<string, string>;
  return { name: CN!, groups: [O!, 'system:authenticated'] };
}

/** Starts the module of the serving certificate, with a client of the node unless `addresses` is absent. */
export async function startServing(
  { clock, memory, logger, clientOf }: TestNode,
  options: Partial<ServingCertificatesOptions>,
  addresses?: () => readonly NodeAddress[],
  isRegistered: () => boolean = () => true,
): Promise<{ readonly certificate: CurrentValue<TlsKeyPair | undefined> } & AsyncDisposable> {
  const client = clientOf(nodeUser('node1'));
  const services = new Map<ServiceKey<unknown>, unknown>(
    addresses === undefined
      ? []
      : [
          [kubeClients, { main: client, events: client, heartbeats: client, reviews: client }],
          [
            nodeObject,
            {
              cached: () => ({
                metadata: { ...(isRegistered() && { uid: 'uid-1' }) },
                status: { addresses: addresses() },
              }),
            },
          ],
        ],
  );
  const context = {
    services: {
      get: (key: ServiceKey<unknown>) => services.get(key),
      find: (key: ServiceKey<unknown>) => services.get(key),
    },
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
    clock,
    random: seededRandom(4),
    logger,
    metrics: noopMetrics,
    node: { name: 'node1', rootDirectory: '/var/lib/kubelet', podLogsDirectory: '/var/log/pods', ips: [] },
  } as unknown as ModuleContext;
  const parts = servingCertificates({ directory: DIRECTORY, ...options }).setup(context)!;
  try {
    await parts.start!(new AbortController().signal);
  } catch (error) {
    await parts[Symbol.asyncDispose]!();
    throw error;
  }
  return {
    certificate: parts.services![0]!.service as CurrentValue<TlsKeyPair | undefined>,
    [Symbol.asyncDispose]: async () => parts[Symbol.asyncDispose]!(),
  };
}
