import type { LabelSelector, Pod } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Trust anchors that volumes project into pods. Without a provider, such volumes cannot be mounted. */
export const clusterTrustBundles: ServiceKey<ClusterTrustBundles> = serviceKey('cluster trust bundles');

/** Trust anchors of ClusterTrustBundles as PEM text. Both calls reject when there are none, unless that is allowed. */
export interface ClusterTrustBundles {
  byName(name: string, allowMissing: boolean, signal?: AbortSignal): Promise<string>;
  bySigner(
    signerName: string,
    selector: LabelSelector | undefined,
    allowMissing: boolean,
    signal?: AbortSignal,
  ): Promise<string>;
}

/** Certificates that volumes project into pods. Without a provider, such volumes cannot be mounted. */
export const podCertificates: ServiceKey<PodCertificates> = serviceKey('pod certificates');

/** Certificates that were issued for pods. */
export interface PodCertificates {
  /** UIDs of pods for which a certificate was issued. */
  readonly changes$: Observable<string>;
  /** Returns key and certificate chain as PEM text. Rejects until they were issued. */
  credentials(
    pod: Pod,
    volumeName: string,
    sourceIndex: number,
    signal?: AbortSignal,
  ): Promise<{ readonly key: string; readonly certificates: string }>;
}
