import { isKubeError, type KubeClient, KubeError, type ObjectChange } from '@rxlet/kube-api/client';
import {
  type Clock,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  onAbort,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';

/** The part of a client that requests certificates. */
export type CertificateClient = Pick<KubeClient, 'create' | 'get' | 'list' | 'watch'>;

/** Ports of {@link requestCertificate}. */
export interface RequestCertificatePorts {
  readonly client: CertificateClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request for a certificate. */
export interface CertificateRequest {
  /** PKCS #10, as PEM. */
  readonly requestPem: string;
  readonly signerName: string;
  readonly usages: CertificateSigningRequestSpec['usages'];
  /** Name of the object, equal for equal keys and subjects. Default: one that the API server generates. */
  readonly name?: string | undefined;
  /** Longest wait for approval and signature. */
  readonly timeoutMs: number;
}

const { certificateSigningRequests } = resources;
const LIST_RETRY_MS = 1000;

/** Requests a certificate from the API server and waits until it is issued. Rejects when it is denied, when it fails, or after the timeout. @returns the certificate as PEM */
export async function requestCertificate(
  ports: RequestCertificatePorts,
  request: CertificateRequest,
  signal: AbortSignal,
): Promise<string> {
  const { clock } = ports;
  const { metadata } = await createRequest(ports, request, signal);
  const { name = '', uid } = metadata ?? {};
  try {
    return await withDeadline(clock, request.timeoutMs, signal, async (on) => {
      await waitForAccess(ports, name, on);
      return waitForCertificate(ports, { name, uid }, on);
    });
  } catch (error) {
    if (!(error instanceof DeadlineExceededError)) throw error;
    const minutes = String(Math.round(request.timeoutMs / 60_000));
    throw new Error(`the certificate signing request "${name}" was not signed within ${minutes} minutes`);
  }
}

async function createRequest(
  { client, logger }: RequestCertificatePorts,
  { requestPem, signerName, usages, name }: CertificateRequest,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  const request = Buffer.from(requestPem).toString('base64');
  const object: CertificateSigningRequest = {
    metadata: name === undefined ? { generateName: 'csr-' } : { name },
    spec: { request, signerName, usages },
    status: {},
  };
  try {
    const created = await client.create(certificateSigningRequests, object, { signal });
    logger.info('requested a certificate, which must be approved and signed', {
      certificateSigningRequest: created.metadata?.name,
      signer: signerName,
    });
    return created;
  } catch (error) {
    if (name === undefined || !isKubeError(error, 'AlreadyExists')) throw error;
  }
  // The name is a digest of key, subject and usages: this is the request of an earlier start.
  const existing = await client.get(certificateSigningRequests, { name }, { signal });
  if (existing.spec.signerName !== signerName)
    throw new Error(`the certificate signing request "${name}" is for another signer, "${existing.spec.signerName}"`);
  logger.info('the certificate has been requested before', { certificateSigningRequest: name });
  return existing;
}

/** Reads the request until that succeeds, because a new object may not be readable at once. */
async function waitForAccess(
  { client, clock, logger }: RequestCertificatePorts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await client.list(certificateSigningRequests, { fieldSelector: `metadata.name=${name}`, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      logger.debug('cannot read a certificate signing request', { name, error: errorMessage(error) });
      await sleep(clock, LIST_RETRY_MS, signal);
    }
  }
}

async function waitForCertificate(
  { client, logger }: RequestCertificatePorts,
  { name, uid }: { readonly name: string; readonly uid: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  await using watch = client.watch(certificateSigningRequests, { fieldSelector: `metadata.name=${name}` });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const inspect = (request: CertificateSigningRequest): void => {
    try {
      const certificate = certificateOf(request, uid);
      if (certificate !== undefined) resolve(certificate);
    } catch (error) {
      reject(error);
    }
  };
  const handle = (change: ObjectChange<CertificateSigningRequest>): void => {
    if (change.type === 'snapshot') change.objects.forEach(inspect);
    else if (change.type === 'deleted')
      reject(new KubeError('NotFound', `the certificate signing request "${name}" was deleted`));
    else inspect(change.object);
  };
  using _listener = onAbort(signal, reject);
  const subscription = follow(watch.changes$, { task: 'waiting for a certificate', logger, next: handle });
  try {
    watch.start();
    return await promise;
  } finally {
    subscription.unsubscribe();
  }
}

/** Returns the certificate of a request, as PEM; `undefined` until it is approved and issued. @throws Error when there will be none */
function certificateOf(request: CertificateSigningRequest, uid: string | undefined): string | undefined {
  const { metadata, status } = request;
  const name = metadata?.name ?? '';
  if (metadata?.uid !== uid) throw new Error(`the certificate signing request "${name}" was replaced by another one`);
  const conditions = status?.conditions ?? [];
  const rejection = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (rejection !== undefined) {
    const { type, reason = '', message = '' } = rejection;
    const outcome = type === 'Denied' ? 'is denied' : 'failed';
    throw new Error(`the certificate signing request "${name}" ${outcome}, reason: ${reason}, message: ${message}`);
  }
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  if (!isApproved || !status?.certificate) return undefined;
  return Buffer.from(status.certificate, 'base64').toString();
}
