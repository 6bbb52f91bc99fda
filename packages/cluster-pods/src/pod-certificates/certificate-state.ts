import type { Pod, PodCertificateProjection } from '@rxlet/kube-api';
import type { PodCertificateRequest } from '@rxlet/kube-api/resources';
import { certificatesOnly } from '../pem/pem.ts';

/** The certificate of one source of a projected volume. */
export interface CertificateRecord {
  readonly pod: Pod;
  readonly volumeName: string;
  readonly sourceIndex: number;
  readonly source: PodCertificateProjection;
  /** The certificate in use. */
  issued?: IssuedCertificate | undefined;
  /** The request that the API server has. */
  pending?: PendingRequest | undefined;
  /** The signer has decided that there is no certificate, also no further one. */
  rejection?: string | undefined;
}

/** A certificate with its key. */
export interface IssuedCertificate {
  readonly keyPem: string;
  readonly chainPem: string;
  readonly beginRefreshAtMs: number;
  readonly notAfterMs: number;
  isOverdueReported?: boolean;
  isExpiryReported?: boolean;
}

/** A request whose outcome is not known. */
export interface PendingRequest {
  readonly name: string;
  readonly keyPem: string;
  /** From this time on, a request that the watch does not show was deleted. */
  readonly abandonAtMs: number;
}

/** Warning about a pod's certificate. */
export interface CertificateWarning {
  readonly reason: string;
  readonly message: string;
}

/** Time after which a request that the watch does not show was deleted. */
export const ASSUME_DELETED_MS = 600_000;
/** Longest random delay, so that the certificates of a node are not requested at once. */
export const MAX_JITTER_MS = 300_000;
const OVERDUE_MS = 600_000;

/** State of a certificate in metrics. */
export function metricState({ issued, rejection }: CertificateRecord, nowMs: number): string {
  if (rejection !== undefined)
    return rejection.startsWith('PodCertificateRequest was permanently denied') ? 'denied' : 'failed';
  if (issued === undefined) return 'not_yet_issued';
  if (nowMs > issued.notAfterMs) return 'expired';
  return nowMs > issued.beginRefreshAtMs + OVERDUE_MS ? 'overdue_for_refresh' : 'fresh';
}

/** Returns warnings about a certificate that is not replaced in time, each once. */
export function overdueWarnings(issued: IssuedCertificate, nowMs: number): readonly CertificateWarning[] {
  const warnings: CertificateWarning[] = [];
  if (nowMs > issued.beginRefreshAtMs + OVERDUE_MS && issued.isOverdueReported !== true) {
    issued.isOverdueReported = true;
    warnings.push({ reason: 'CertificateOverdueForRefresh', message: 'PodCertificate refresh overdue' });
  }
  if (nowMs > issued.notAfterMs && issued.isExpiryReported !== true) {
    issued.isExpiryReported = true;
    warnings.push({ reason: 'CertificateExpired', message: 'PodCertificate expired' });
  }
  return warnings;
}

/**
 * Applies the signer's decision on the pending request (kubelet: handleProjection). Returns `undefined` while there is none.
 *
 * @param jitterMs delay of the refresh
 */
export function applyDecision(
  record: CertificateRecord,
  { metadata, status }: PodCertificateRequest,
  jitterMs: number,
): 'issued' | CertificateWarning | undefined {
  const decision = status?.conditions?.find(({ type }) => ['Denied', 'Failed', 'Issued'].includes(type));
  if (decision === undefined || record.pending === undefined) return undefined;
  const { keyPem } = record.pending;
  record.pending = undefined;
  if (decision.type === 'Issued') {
    record.issued = {
      keyPem,
      chainPem: certificatesOnly(status?.certificateChain ?? ''),
      beginRefreshAtMs: (Date.parse(status?.beginRefreshAt ?? '') || 0) + jitterMs,
      notAfterMs: Date.parse(status?.notAfter ?? '') || 0,
    };
    return 'issued';
  }
  const { reason = '', message = '' } = decision;
  const quoted = `reason=${JSON.stringify(reason)} message=${JSON.stringify(message)}`;
  record.rejection = `PodCertificateRequest was permanently ${decision.type.toLowerCase()}: ${quoted}`;
  const outcome = decision.type === 'Denied' ? 'was denied' : 'failed';
  const name = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  const details = `reason=${JSON.stringify(reason)}, message=${JSON.stringify(message)}`;
  return { reason: decision.type, message: `PodCertificateRequest ${name} ${outcome}, ${details}` };
}
