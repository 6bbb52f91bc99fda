import { errorMessage, type Logger } from '@rxlet/component-base';
import type { CertificateSigningRequest } from '@rxlet/kube-api';
import { Subscription } from 'rxjs';
import type { ResourceType } from '../resource-type.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { CertificateAuthority } from './certificate-authority.ts';

/** Signers whose certificates the authority issues, with the usages that they permit. */
const SIGNERS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/kube-apiserver-client': ['client auth'],
  'kubernetes.io/kube-apiserver-client-kubelet': ['client auth'],
  'kubernetes.io/kubelet-serving': ['server auth'],
};

/** Options of {@link startCertificateSigner}. */
export interface CertificateSignerOptions {
  /** Approves the requests of node agents for their own certificates, as a cluster does for client certificates. */
  readonly approvesNodes: boolean;
}

/** Signs approved certificate requests (a cluster's controller manager), until it is disposed of. */
export function startCertificateSigner(
  {
    store,
    authority,
    logger,
  }: { readonly store: ObjectStore; readonly authority: () => Promise<CertificateAuthority>; readonly logger: Logger },
  type: ResourceType,
  { approvesNodes }: CertificateSignerOptions,
): Disposable {
  const subscriptions = new Subscription();
  const sign = async (name: string): Promise<void> => {
    const found = store.get(type, { name }) as unknown as CertificateSigningRequest | undefined;
    const usages = SIGNERS[found?.spec.signerName ?? ''];
    if (found === undefined || usages === undefined || found.status?.certificate !== undefined) return;
    const requestPem = Buffer.from(found.spec.request, 'base64').toString();
    const certificatePem = await (await authority()).sign(requestPem, usages);
    const current = store.get(type, { name });
    if (current === undefined || subscriptions.closed) return;
    const certificate = Buffer.from(certificatePem).toString('base64');
    store.write(type, { ...current, status: { ...(current.status as object), certificate } });
  };
  const handle = (request: CertificateSigningRequest): void => {
    const { name = '' } = request.metadata ?? {};
    const conditions = request.status?.conditions ?? [];
    const has = (wanted: string): boolean => conditions.some((condition) => condition.type === wanted);
    if (has('Denied') || request.status?.certificate !== undefined) return;
    if (has('Approved')) {
      sign(name).catch((error: unknown) =>
        logger.warn('cannot sign a certificate request', { name, error: errorMessage(error) }),
      );
    } else if (approvesNodes && request.spec.signerName.includes('kubelet')) {
      const current = store.get(type, { name })!;
      const message = 'Auto approving kubelet client certificate after SubjectAccessReview.';
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
      store.write(type, {
        ...current,
        status: { ...(current.status as object), conditions: [...conditions, approved] },
      });
    }
  };
  subscriptions.add(
    store.changes$.subscribe({
      next: (change) => {
        if (change.type === type && change.object !== undefined)
          handle(change.object as unknown as CertificateSigningRequest);
      },
      error: (error: unknown) => logger.error('the certificate signer ended', { error: errorMessage(error) }),
    }),
  );
  // Those of an earlier run that are approved, and not signed.
  for (const request of store.list(type)) handle(request as unknown as CertificateSigningRequest);
  return { [Symbol.dispose]: () => subscriptions.unsubscribe() };
}
