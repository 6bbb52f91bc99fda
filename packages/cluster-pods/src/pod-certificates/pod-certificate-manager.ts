import type { PodCertificates } from '@rxlet/agent-api/kube';
import type { KubeClient, ObjectWatch } from '@rxlet/kube-api/client';
import {
  type Clock,
  createBackoff,
  createKeyedExecutor,
  createLifetime,
  errorMessage,
  jitter,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createEmitter, follow } from '@rxlet/component-base/streams';
import { type PodCertificateRequest, resources } from '@rxlet/kube-api/resources';
import { formatPod, isStaticPod, podEventObject, podUid } from '@rxlet/pod-model';
import type { CreateCertificateKey } from './certificate-key.ts';
import {
  applyDecision,
  ASSUME_DELETED_MS,
  type CertificateRecord,
  MAX_JITTER_MS,
  metricState,
  overdueWarnings,
} from './certificate-state.ts';

/** Ports of {@link createPodCertificateManager}. */
export interface PodCertificateManagerPorts {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'watch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly createKey: CreateCertificateKey;
  readonly nodeName: string;
  /** Returns the UID of the Node object; `undefined` before it is known. */
  nodeUid(): string | undefined;
}

/** Certificates of pods: requested with their first use, replaced before they expire, and dropped with the pod. They are in memory only. */
export interface PodCertificateManager extends PodCertificates, AsyncDisposable {
  /** Drops the certificates of a pod. */
  release(podUid: string): void;
  /** Drops the certificates of all other pods. */
  retain(podUids: ReadonlySet<string>): void;
  /** Number of certificates. */
  readonly size: number;
}

const PASS_MS = 60_000;
const BACKOFF = { initialMs: 500, maxMs: 300_000 };
const NOT_ISSUED = 'credential bundle is not issued yet';

/** Creates a {@link PodCertificateManager} with the rules of a kubelet (IssuingManager). Nothing happens before its first use. */
export function createPodCertificateManager(ports: PodCertificateManagerPorts): PodCertificateManager {
  const { client, clock, random, logger, events, nodeName } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const executor = createKeyedExecutor();
  const backoff = createBackoff(BACKOFF);
  const records = new Map<string, CertificateRecord>();
  const changes = createEmitter<string>();
  const report = createStateMetrics(ports.metrics, () => records.values(), clock);
  let requests: ObjectWatch<PodCertificateRequest> | undefined;

  const warn = ({ pod }: CertificateRecord, { reason, message }: { reason: string; message: string }): void =>
    events.event(podEventObject(pod), 'Warning', reason, message);
  const delayMs = (): number => random.next() * MAX_JITTER_MS;

  const request = async (record: CertificateRecord): Promise<void> => {
    const { pod, source } = record;
    const { namespace = '', name: podName = '' } = pod.metadata ?? {};
    const { serviceAccountName = '' } = pod.spec ?? {};
    const account = await client.get(resources.serviceAccounts, { namespace, name: serviceAccountName }, { signal });
    const nodeUID = ports.nodeUid();
    if (nodeUID === undefined)
      throw new Error(`while getting node object from local cache: node "${nodeName}" not found`);
    const { keyPem, stubRequest } = await ports.createKey(source.keyType);
    const body: PodCertificateRequest = {
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'PodCertificateRequest',
      metadata: {
        namespace,
        generateName: 'req-',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid(pod) }],
      },
      spec: {
        signerName: source.signerName,
        podName,
        podUID: podUid(pod),
        serviceAccountName,
        nodeName,
        nodeUID,
        serviceAccountUID: account.metadata?.uid ?? '',
        ...(source.maxExpirationSeconds !== undefined && { maxExpirationSeconds: source.maxExpirationSeconds }),
        stubPKCS10Request: Buffer.from(stubRequest).toString('base64'),
        ...(source.userAnnotations && { unverifiedUserAnnotations: source.userAnnotations }),
      },
    };
    const { metadata } = await client.create(resources.podCertificateRequests, body, { signal });
    const createdMs = Date.parse(metadata?.creationTimestamp ?? '') || clock.now();
    record.pending = { name: metadata?.name ?? '', keyPem, abandonAtMs: createdMs + ASSUME_DELETED_MS + delayMs() };
  };

  /** Does what the state of a certificate asks for. */
  const advance = async (key: string): Promise<void> => {
    const record = records.get(key);
    if (record === undefined || record.rejection !== undefined || signal.aborted) return;
    const { pending, issued, pod } = record;
    if (issued !== undefined) overdueWarnings(issued, clock.now()).forEach((warning) => warn(record, warning));
    if (pending !== undefined) {
      const found = requests?.find({ name: pending.name, namespace: pod.metadata?.namespace ?? '' });
      if (found === undefined && clock.now() > pending.abandonAtMs) record.pending = undefined;
      else {
        const outcome = found && applyDecision(record, found, delayMs());
        if (outcome === 'issued') changes.emit(podUid(pod));
        else if (outcome !== undefined) warn(record, outcome);
        return;
      }
    }
    if (issued !== undefined && clock.now() < issued.beginRefreshAtMs) return;
    if (backoff.blockedUntilMs(key, clock.monotonicNow()) !== undefined) return;
    try {
      await request(record);
      backoff.reset(key);
    } catch (error) {
      if (signal.aborted) return;
      backoff.next(key, clock.monotonicNow());
      const about = { pod: formatPod(pod), volume: record.volumeName, error: errorMessage(error) };
      logger.warn('cannot request a certificate of a pod', about);
    }
  };
  const queue = (key: string): Promise<void> =>
    executor.run(key, async () => {
      await advance(key);
      report();
    });
  const queueAll = (isSelected: (record: CertificateRecord) => boolean): void => {
    for (const [key, record] of records) if (isSelected(record)) void lifetime.track(queue(key));
  };

  const passes = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(clock, jitter(random, PASS_MS, 1), signal).catch(() => undefined);
      backoff.collectGarbage(clock.monotonicNow());
      queueAll(() => true);
    }
  };
  const open = (): void => {
    if (requests !== undefined) return;
    requests = client.watch(resources.podCertificateRequests, { fieldSelector: `spec.nodeName=${nodeName}` });
    lifetime.defer(() => requests?.[Symbol.asyncDispose]());
    const subscription = follow(requests.changes$, {
      task: 'following requests for certificates of pods',
      logger,
      next: () => queueAll(({ pending }) => pending !== undefined),
    });
    lifetime.defer(() => subscription.unsubscribe());
    requests.start();
    void lifetime.track(passes());
  };

  const dropWhere = (isDropped: (uid: string) => boolean): void => {
    for (const [key, { pod }] of records) if (isDropped(podUid(pod))) records.delete(key);
    report();
  };

  return {
    async credentials(pod, volumeName, sourceIndex) {
      signal.throwIfAborted();
      if (isStaticPod(pod)) throw new Error('certificates are issued only for pods of the API server');
      const key = JSON.stringify([podUid(pod), volumeName, sourceIndex]);
      const source = pod.spec?.volumes?.find(({ name }) => name === volumeName)?.projected?.sources?.[sourceIndex];
      if (source?.podCertificate === undefined)
        throw new Error('pod does not contain the named podCertificate projected volume source');
      open();
      const known = records.get(key);
      const record = known ?? { pod, volumeName, sourceIndex, source: source.podCertificate };
      records.set(key, record);
      if (record.issued === undefined && record.pending === undefined) await lifetime.track(queue(key));
      const { issued, rejection } = record;
      if (rejection !== undefined) throw new Error(rejection);
      if (issued === undefined) throw new Error(NOT_ISSUED);
      return { key: issued.keyPem, certificates: issued.chainPem };
    },
    changes$: changes.values$,
    release: (uid) => dropWhere((one) => one === uid),
    retain: (uids) => dropWhere((uid) => !uids.has(uid)),
    get size() {
      return records.size;
    },
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      changes.complete();
    },
  };
}

function createStateMetrics(
  metrics: Metrics,
  records: () => Iterable<CertificateRecord>,
  clock: Pick<Clock, 'now'>,
): () => void {
  const gauge = metrics.gauge({
    name: 'kubelet_podcertificate_states',
    help: 'Gauge vector reporting the number of pod certificate projection sources, faceted by signer_name and state.',
    labelNames: ['signer_name', 'state'],
  });
  const known = new Map<string, { readonly signer_name: string; readonly state: string }>();
  return () => {
    const counts = new Map<string, number>();
    for (const record of records()) {
      const labels = { signer_name: record.source.signerName, state: metricState(record, clock.now()) };
      const key = JSON.stringify(labels);
      known.set(key, labels);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, labels] of known) gauge.set(counts.get(key) ?? 0, labels);
  };
}
